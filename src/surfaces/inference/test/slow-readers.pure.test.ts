/** What waits for readers that read nothing is bounded: the writer waits, so the provider is not read any further. */
import { expect, test } from 'vitest'
import { Pipe, waitingUnits } from '../operations/pipe.ts'

const piece = { type: 'text', text: 'x'.repeat(16 * 1024) } as const
const readers = 200
const pieces = 64

test('200 readers that read nothing hold a bounded number of characters, and none once they left', async () => {
  const leave = new AbortController()
  const pipes = Array.from({ length: readers }, () => new Pipe(leave.signal))
  const written = pipes.map(async pipe => {
    let count = 0
    for (; count < pieces && !leave.signal.aborted; count++) await pipe.push(piece)
    return count
  })
  // Every push that does not have to wait has been done after one turn.
  await new Promise(resolve => setImmediate(resolve))
  expect(waitingUnits()).toBe(readers * (128 * 1024 + piece.text.length))
  leave.abort()
  for (const pipe of pipes) pipe.leave()
  expect(new Set(await Promise.all(written))).toEqual(new Set([9]))
  expect(waitingUnits()).toBe(0)
})

test('a reader that reads lets the writer go on, and gets every character in order', async () => {
  const pipe = new Pipe(new AbortController().signal)
  const texts = Array.from({ length: 40 }, (_, at) => String(at).padStart(8, '0').repeat(1024))
  const write = async () => {
    for (const text of texts) await pipe.push({ type: 'text', text })
    pipe.end({ type: 'ended', ending: { state: 'blocked' }, settled: undefined })
  }
  const writing = write()
  let read = ''
  for (let one = await pipe.next(); one?.type === 'text'; one = await pipe.next()) read += one.text
  await writing
  expect(read).toBe(texts.join(''))
  expect(waitingUnits()).toBe(0)
})
