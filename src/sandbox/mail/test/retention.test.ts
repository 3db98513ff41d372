/**
 * What the mailbox deletes: messages beyond 10,000 of a kind, and after seven days, on the disk
 * too.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClock } from '#dodeca/kernel'
import { newDataDir } from '../../test/child.ts'
import { openMailbox } from '../../mailbox.ts'

const envelope = { provider: 'dev_mail', from: 'shop@example.com', to: ['a@example.com'] }
const refused = { outcome: 'refused', status: 550, fault: null, message_id: null } as const

function walk(mailbox: ReturnType<typeof openMailbox>): string[] {
  const found: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = mailbox.requests({}, cursor, 100)
    found.push(...page.data.map(one => one.from))
    if (page.next_cursor === null) return found
    cursor = page.next_cursor
  }
}

test('the newest 10,000 stay, and the journal is cut at the next start', () => {
  const folder = newDataDir()
  const mailbox = openMailbox(folder, openClock())
  for (let n = 0; n < 10_005; n++) mailbox.record({ ...envelope, from: `${n}` }, refused)
  const kept = walk(mailbox)
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([10_000, '10004', '5'])
  mailbox.close()
  const again = openMailbox(folder, openClock())
  expect(walk(again)).toEqual(kept)
  again.close()
  const lines = readFileSync(join(folder, 'journal.jsonl'), 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(10_000)
})

test('what is older than seven days is gone, whatever the clock of the vendor says', () => {
  const folder = newDataDir()
  const clock = openClock()
  clock.setOffset(-30 * 86_400)
  const mailbox = openMailbox(folder, clock)
  for (const from of ['old', 'young']) mailbox.record({ ...envelope, from }, refused)
  mailbox.close()
  const file = join(folder, 'journal.jsonl')
  const [old = '', young = ''] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const line = JSON.parse(old) as { at_ms: number; entry: unknown }
  const aged = { ...line, at_ms: line.at_ms - 7 * 86_400_000 - 1000 }
  writeFileSync(file, `${JSON.stringify(aged)}\n${young}\n`)
  const again = openMailbox(folder, clock)
  expect(walk(again)).toEqual(['young'])
  again.close()
  expect(readFileSync(file, 'utf8')).toBe(`${young}\n`)
})
