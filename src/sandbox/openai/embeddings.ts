/**
 * Embeddings by feature hashing. Every word, and every run of three letters in a word, adds to a
 * few dimensions. So texts with the same words have similar vectors.
 */
import { Buffer } from 'node:buffer'
import { snapshotOf } from '../model/models.ts'
import type { CreateEmbeddings } from './protocol.ts'
import { countTokens } from '../model/tokens.ts'

const dimensions_default = 512
const letters_share = 0.3

export function embed({ model, input, encoding_format, dimensions }: CreateEmbeddings): object {
  const texts = typeof input === 'string' ? [input] : input
  const size = dimensions ?? dimensions_default
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, size)
    const embedding =
      encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    return { object: 'embedding', index, embedding }
  })
  const prompt_tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const usage = { prompt_tokens, total_tokens: prompt_tokens }
  return { object: 'list', data, model: snapshotOf(model), usage }
}

function vectorOf(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const vector = new Float32Array(dimensions)
  for (const [word, count] of counts) {
    const weight = 1 + Math.log(count)
    add(vector, word, weight)
    const edged = `<${word}>`
    for (let at = 0; at + 3 <= edged.length; at++) {
      add(vector, edged.slice(at, at + 3), (weight * letters_share) / Math.sqrt(word.length))
    }
  }
  // A text without words gets a vector too.
  if (counts.size === 0) vector[0] = 1
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}

/** Each feature uses two dimensions, so that two features seldom collide completely. */
function add(vector: Float32Array, feature: string, weight: number): void {
  for (const salt of [0x81_1c_9d_c5, 0x01_23_45_67]) {
    const hash = fnv1a(feature, salt)
    const at = hash % vector.length
    vector[at] = (vector[at] ?? 0) + (hash & 0x8000_0000 ? -weight : weight)
  }
}

function fnv1a(text: string, start: number): number {
  let hash = start
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93)
  }
  return hash >>> 0
}
