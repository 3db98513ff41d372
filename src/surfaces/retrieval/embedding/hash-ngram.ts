/**
 * `hash-ngram-384@1`: a profile that needs no weights and supports every language. It hashes
 * stemmed words, pairs of words and groups of 3 to 5 letters into 384 dimensions with a sign. So a
 * search finds words with typing errors and inflected forms. The profile does not know meanings,
 * and its description says so.
 */
import type { LocalProfile } from './profile.ts'
import { isStopWord, stemOf, wordsOf } from './words.ts'

const dimensions = 384
const weight = { word: 1, pair: 0.5, letters: 0.35, stop: 0.1 }
/** The groups of letters of a longer word cost too much, and people do not write such words. */
const word_length_max = 40
type Known = {
  /** The contribution of one word: pairs of dimension and amount. */
  readonly parts: Float32Array
  readonly stop: boolean
  readonly stem: string
  /** The hash of the stem and a space; the hash of a pair continues from it. */
  readonly begun: number
  /** The number of times that the word occurs in the text that is being embedded. */
  times: number
}
/** Most words of a text occur in many other texts. */
const known = new Map<string, Known>()
const known_max = 50_000

export const hashNgram: LocalProfile = {
  id: 'hash-ngram-384@1',
  dimensions,
  semantic: false,
  languages: null,
  embed: async texts => texts.map(embedText),
}

export function embedText(text: string): Float32Array {
  if (known.size >= known_max) known.clear()
  const vector = new Float32Array(dimensions)
  const distinct: Known[] = []
  const pairs = new Map<number, number>()
  let before: Known | undefined
  for (const word of wordsOf(text)) {
    const one = knownOf(word.slice(0, word_length_max))
    if (one.times++ === 0) distinct.push(one)
    if (one.stop) continue
    if (before) {
      const hash = mixed(hashed(before.begun, one.stem))
      pairs.set(hash, (pairs.get(hash) ?? 0) + 1)
    }
    before = one
  }
  for (const one of distinct) {
    addParts(vector, one.parts, (1 + Math.log(one.times)) * (one.stop ? weight.stop : 1))
    one.times = 0
  }
  for (const [hash, times] of pairs) addAt(vector, hash, (1 + Math.log(times)) * weight.pair)
  return normalized(vector)
}

function knownOf(word: string): Known {
  const made = known.get(word)
  if (made) return made
  const stem = stemOf(word)
  const begun = hashed(hash_start, `${stem} `)
  const one = { parts: partsOf(word, stem), stop: isStopWord(word), stem, begun, times: 0 }
  known.set(word, one)
  return one
}

function partsOf(word: string, stem: string): Float32Array {
  const grams = gramsOf(`<${word}>`)
  // A long word weighs a little more than a short one, not ten times as much.
  const share = weight.letters / Math.sqrt(Math.max(1, grams.length))
  const sparse = new Map<number, number>()
  const add = (feature: string, amount: number) => {
    const hash = mixed(hashed(hash_start, feature))
    const at = dimensionOf(hash)
    sparse.set(at, (sparse.get(at) ?? 0) + signOf(hash) * amount)
  }
  add(`w:${stem}`, weight.word)
  for (const gram of grams) add(`g:${gram}`, share)
  return Float32Array.from([...sparse].flat())
}

function gramsOf(word: string): string[] {
  const letters = Array.from(word)
  return [3, 4, 5].flatMap(length =>
    letters.slice(length - 1).map((_, at) => letters.slice(at, at + length).join('')),
  )
}

function addParts(vector: Float32Array, parts: Float32Array, factor: number): void {
  for (let at = 0; at < parts.length; at += 2) {
    const dimension = parts[at] ?? 0
    vector[dimension] = (vector[dimension] ?? 0) + (parts[at + 1] ?? 0) * factor
  }
}

function addAt(vector: Float32Array, hash: number, amount: number): void {
  const at = dimensionOf(hash)
  vector[at] = (vector[at] ?? 0) + signOf(hash) * amount
}

const dimensionOf = (hash: number) => (hash >>> 1) % dimensions
const signOf = (hash: number) => ((hash & 1) === 0 ? 1 : -1)

const hash_start = 0x811c9dc5

/** FNV-1a over UTF-16 units. */
function hashed(start: number, text: string): number {
  let hash = start
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash
}

/** The last mixing step of murmur3, because the low bits decide the sign. */
function mixed(start: number): number {
  let hash = Math.imul(start ^ (start >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * A text that has no word would give the zero vector. A zero vector has no direction. The first
 * axis makes the vector comparable, and far from other texts.
 */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  if (length === 0) {
    const axis = new Float32Array(vector.length)
    axis[0] = 1
    return axis
  }
  return vector.map(value => value / length)
}
