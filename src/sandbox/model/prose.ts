/**
 * The text of this model: a word model of order two over a small corpus. Its random choices come
 * from a seed, so that the same request always gives the same text.
 */
import { createHash } from 'node:crypto'
import { corpus } from './corpus.ts'

const words = corpus.trim().split(/\s+/)
const followers = new Map<string, string[]>()
for (const [index, word] of words.entries()) {
  const next = words[index + 1]
  const after = words[index + 2]
  if (next === undefined || after === undefined) break
  const pair = `${word} ${next}`
  const known = followers.get(pair)
  if (known) known.push(after)
  else followers.set(pair, [after])
}
const beginnings = words.flatMap((word, index) => {
  const [first, second] = [words[index + 1], words[index + 2]]
  return /[.?!]$/.test(word) && first && second ? [[first, second] as const] : []
})

/** Numbers in [0, 1) that depend only on the seed. */
export function drawer(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Sentences with at least this many words in total. The last sentence is complete. */
export function prose(draw: () => number, least_words: number): string {
  const text: string[] = []
  while (text.length < least_words) text.push(...sentence(draw))
  return text.join(' ')
}

function sentence(draw: () => number): string[] {
  const [first, second] = pick(beginnings, draw)
  const said = [first, second]
  let [before, last] = [first, second]
  while (!/[.?!]$/.test(last) && said.length < 60) {
    const next = pick(followers.get(`${before} ${last}`) ?? ['.'], draw)
    said.push(next)
    ;[before, last] = [last, next]
  }
  return said
}

function pick<T>(all: readonly [T, ...T[]] | readonly T[], draw: () => number): T {
  return all[Math.floor(draw() * all.length)] as T
}
