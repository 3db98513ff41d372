/** The messages that an element has loaded: in whichever order they come, one range, newest states. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merged, withChange, type Timeline } from '../../client/elements/chat/timeline.ts'

type Message = Timeline[number]

const message = (sequence: number, revision: number): Message => ({
  id: `m${sequence}`,
  conversation_id: 'c',
  sequence,
  revision,
  sender_id: 'a',
  body: `text ${revision}`,
  reply_to_sequence: null,
  version: 1,
  attachments: [],
  created_at: '2026-03-02T09:30:00.000Z',
  edited_at: null,
  deleted_at: null,
})

test('pages and changes in any order give each message once, in its newest state', () => {
  const states = fc.record({ sequence: fc.integer({ min: 1, max: 9 }), revision: fc.nat(30) })
  fc.assert(
    fc.property(fc.array(states, { maxLength: 40 }), fc.nat(5), (all, pages) => {
      const found = all.map(one => message(one.sequence, one.revision))
      let known: Timeline = merged([], found.slice(0, pages))
      for (const one of found.slice(pages)) known = merged(known, [one])
      const newest = new Map<number, number>()
      for (const { sequence, revision } of all) {
        newest.set(sequence, Math.max(newest.get(sequence) ?? 0, revision))
      }
      expect(known.map(one => [one.sequence, one.revision])).toEqual(
        [...newest].sort(([a], [b]) => a - b),
      )
    }),
  )
})

test('a change of what is not loaded makes no gap, and the reply to a send replaces nothing', () => {
  const known = [message(5, 7), message(6, 8)]
  expect(withChange(known, message(2, 9))).toBe(known)
  expect(withChange(known, message(7, 9))).toHaveLength(3)
  expect(withChange(known, message(6, 0))).toEqual(known)
  expect(withChange([], message(2, 9))).toHaveLength(1)
})
