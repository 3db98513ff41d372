/** Plain text, CSV and JSON: stored unchanged after normalization. */
import type { Canonical } from './canonical.ts'
import type { ExtractLimits } from './extract.ts'
import { openWriter } from './writer.ts'

export function readText(bytes: Uint8Array, { characters }: ExtractLimits): Canonical {
  const writer = openWriter(characters)
  writer.text(decodeText(bytes))
  return writer.finish(null)
}

/**
 * Reads UTF-8, or UTF-16 with a byte order mark. Any other text is read as Windows-1252, which
 * accepts all bytes.
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
