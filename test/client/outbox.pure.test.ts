/** What an element has not sent yet: kept for each account, and tolerant of a page without storage. */
import { afterEach, expect, test, vi } from 'vitest'
import { Outbox } from '../../client/elements/chat/outbox.ts'

afterEach(() => vi.unstubAllGlobals())

/** A storage as the standard describes it. */
function storage(room = Infinity) {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
  }
}

const [one, two] = ['k1', 'k2'].map(request_id => ({ request_id, body: 'Hello' }))
if (!one || !two) throw new Error('two messages')

test('survives a reload, and is not shown to the next person of the tab', () => {
  vi.stubGlobal('sessionStorage', storage())
  const before = new Outbox('ada', 'room')
  before.put(one)
  before.put(two)
  before.put({ ...one, refused: 'Too long' })
  expect(new Outbox('ada', 'room').list).toEqual([two, { ...one, refused: 'Too long' }])
  expect(new Outbox('bob', 'room').list).toEqual([])
  expect(new Outbox('ada', 'other').list).toEqual([])
  before.drop('k2')
  before.drop('k1')
  expect(new Outbox('ada', 'room').list).toEqual([])
})

test.each([
  ['no storage', undefined],
  ['a full one', storage(3)],
])('works with %s', (_name, given) => {
  vi.stubGlobal('sessionStorage', given)
  const outbox = new Outbox('ada', 'room')
  outbox.put(one)
  expect(outbox.list).toEqual([one])
  expect(new Outbox('ada', 'room').list).toEqual([])
})

test('ignores what somebody else has stored there', () => {
  vi.stubGlobal('sessionStorage', { getItem: () => '{' })
  expect(new Outbox('ada', 'room').list).toEqual([])
})
