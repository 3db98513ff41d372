/**
 * The format of an API key: `ak_<id>_<secret><checksum>`. The checksum lets a scanner of leaked
 * secrets recognize a real key. It also lets the platform refuse a malformed key before the
 * database is queried.
 */
import { crc32 } from 'node:zlib'
import { newSecret } from '#dodeca/kernel'

const form =
  /^ak_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[\w-]{43}([0-9a-f]{8})$/
const checksum_length = 8

/** The part of a key that is shown later: its public part. */
export function prefixOf(id: string): string {
  return `ak_${id.replaceAll('-', '')}`
}

export function newKey(id: string): string {
  const key = `${prefixOf(id)}_${newSecret(32)}`
  return key + checksum(key)
}

/** The id in a well-formed key, or null. */
export function idOfKey(key: string): string | null {
  const match = form.exec(key)
  if (!match || checksum(key.slice(0, -checksum_length)) !== match.at(-1)) return null
  return match.slice(1, 6).join('-')
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(checksum_length, '0')
}
