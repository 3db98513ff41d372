/** The hash of files of any size, against that of Node. */
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256 } from '../../client/src/hash-file.ts'

const piece_bytes = 4 * 1024 * 1024
const sizes = [0, 1, 55, 56, 63, 64, 65, 1000, piece_bytes - 1, piece_bytes, piece_bytes + 1]

test.for(sizes)('of %i bytes is that of Node', async size => {
  const bytes = randomBytes(size)
  const expected = createHash('sha256').update(bytes).digest('hex')
  expect(await sha256(new Blob([bytes]))).toBe(expected)
})

test('ends with its signal', async () => {
  const cause = new Error('enough')
  await expect(sha256(new Blob(['a']), AbortSignal.abort(cause))).rejects.toBe(cause)
})
