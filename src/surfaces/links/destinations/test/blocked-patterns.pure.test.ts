/** Patterns of the blocklist, as calls with different snapshots of it load them at the same time. */
import { expect, test } from 'vitest'
import { newId, type Reader } from '#dodeca/kernel'
import { openBlockedPatterns } from '../blocked-patterns.ts'

const [old, added] = [newId(), newId()]
const values = new Map([
  [old, 'old'],
  [added, 'evil'],
])

/** Answers when the test says so. */
function readerOf(ids: readonly string[]) {
  const gate = Promise.withResolvers<null>()
  const many = async () => {
    await gate.promise
    return ids.map(id => ({ id, value: values.get(id) ?? '', action: 'block' }))
  }
  return { open: () => gate.resolve(null), reader: { many } as unknown as Reader }
}

test('a call with an older list does not take an entry from a call that is about to match it', async () => {
  const patterns = openBlockedPatterns()
  const [newer, older] = [readerOf([old, added]), readerOf([old])]
  const found = patterns.match(newer.reader, [old, added], 'https://evil.example/')
  const before = patterns.match(older.reader, [old], 'https://evil.example/')
  newer.open()
  older.open()
  expect(await found).toEqual({ blocked: true, warned: false })
  expect(await before).toEqual({ blocked: false, warned: false })
})
