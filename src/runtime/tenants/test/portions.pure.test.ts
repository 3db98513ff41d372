/** Rows of a tenant are imported in portions with a limit on their number and on their length. */
import { expect, test } from 'vitest'
import { inPortions } from '../import.ts'

async function portionsOf(lengths: readonly number[]): Promise<number[][]> {
  const lines = (async function* () {
    for (const length of lengths) yield 'x'.repeat(length)
  })()
  const found: number[][] = []
  for await (const some of inPortions(lines, { lines: 3, characters: 10 })) {
    found.push(some.map(line => line.length))
  }
  return found
}

test.each([
  ['nothing', [], []],
  ['short lines by their number', [1, 1, 1, 1], [[1, 1, 1], [1]]],
  ['long lines by their length', [6, 4, 1, 9, 2], [[6, 4], [1, 9], [2]]],
  ['a line that is longer than a portion alone', [2, 30, 2], [[2], [30], [2]]],
])('%s', async (_what, lengths, portions) => {
  expect(await portionsOf(lengths)).toEqual(portions)
})
