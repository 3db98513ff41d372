/**
 * Vectors of a profile by the hash of their text, kept in a file between runs: the semantic profile needs
 * 0.1 s a passage. DODECA_BENCH_CACHE names the folder.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalProfile } from '../../src/surfaces/retrieval/embedding/profile.ts'

const folder = process.env['DODECA_BENCH_CACHE'] ?? join(tmpdir(), 'dodeca-vectors')
const hash_bytes = 32
const known = new Map<string, Map<string, Float32Array>>()

export async function cached(
  profile: LocalProfile,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const vectors = known.get(profile.id) ?? readVectors(profile)
  known.set(profile.id, vectors)
  const missing = [...new Set(texts.filter(text => !vectors.has(hashOf(text))))]
  const made = await profile.embed(missing, 'passage')
  for (const [at, text] of missing.entries()) {
    const vector = made[at] ?? new Float32Array()
    vectors.set(hashOf(text), vector)
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    appendFileSync(fileOf(profile), Buffer.concat([Buffer.from(hashOf(text), 'hex'), bytes]))
  }
  return texts.map(text => vectors.get(hashOf(text)) ?? new Float32Array())
}

function readVectors(profile: LocalProfile): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>()
  mkdirSync(folder, { recursive: true })
  if (!existsSync(fileOf(profile))) return vectors
  const bytes = readFileSync(fileOf(profile))
  const size = hash_bytes + profile.dimensions * 4
  for (let at = 0; at + size <= bytes.length; at += size) {
    const hash = bytes.subarray(at, at + hash_bytes).toString('hex')
    const numbers = Uint8Array.from(bytes.subarray(at + hash_bytes, at + size))
    vectors.set(hash, new Float32Array(numbers.buffer))
  }
  return vectors
}

const fileOf = ({ id }: LocalProfile) => join(folder, `${id}.vectors`)
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
