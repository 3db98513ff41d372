/**
 * `hash-ngram-384@1`: a profile without weights, for every language. Stemmed words, pairs of words and
 * groups of 3 to 5 letters are hashed into 384 dimensions with a sign, so it finds typing errors and
 * inflected forms. It does not know meanings and declares that.
 */
import type { LocalProfile } from './profile.ts'
import { isStopWord, stemOf, wordsOf } from './words.ts'

const dimensions = 384
const weight = { word: 1, pair: 0.5, letters: 0.35, stop: 0.1 }
/** Its grams are a burden; nobody writes such a word twice. */
const word_length_max = 40
/** What one word adds: pairs of dimension and amount. Most words of a text occur in many others. */
const known = new Map<string, Float32Array>()
const known_max = 50_000

export const hashNgram: LocalProfile = {
  id: 'hash-ngram-384@1',
  dimensions,
  semantic: false,
  languages: null,
  embed: async texts => texts.map(embedText),
}

export function embedText(text: string): Float32Array {
  const words = wordsOf(text).map(word => word.slice(0, word_length_max))
  const vector = new Float32Array(dimensions)
  for (const [word, times] of timesOf(words)) {
    addParts(vector, partsOf(word), (1 + Math.log(times)) * (isStopWord(word) ? weight.stop : 1))
  }
  const terms = words.filter(word => !isStopWord(word)).map(stemOf)
  const pairs = terms.slice(1).map((term, at) => `${terms[at]} ${term}`)
  for (const [pair, times] of timesOf(pairs)) {
    const hash = hashOf(pair)
    addAt(vector, hash, (1 + Math.log(times)) * weight.pair)
  }
  return normalized(vector)
}

function timesOf(items: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const item of items) times.set(item, (times.get(item) ?? 0) + 1)
  return times
}

function partsOf(word: string): Float32Array {
  const made = known.get(word)
  if (made) return made
  const grams = gramsOf(`<${word}>`)
  // A long word weighs a little more than a short one, not ten times as much.
  const share = weight.letters / Math.sqrt(Math.max(1, grams.length))
  const sparse = new Map<number, number>()
  const add = (feature: string, amount: number) => {
    const hash = hashOf(feature)
    const at = dimensionOf(hash)
    sparse.set(at, (sparse.get(at) ?? 0) + signOf(hash) * amount)
  }
  add(`w:${stemOf(word)}`, weight.word)
  for (const gram of grams) add(`g:${gram}`, share)
  const parts = Float32Array.from([...sparse].flat())
  if (known.size >= known_max) known.clear()
  known.set(word, parts)
  return parts
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

/** FNV-1a over UTF-16 units, with the last mixing step of murmur3: the low bits decide the sign. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A text without a word has no direction; the first axis keeps it comparable and far from others. */
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
