/**
 * Looks for what runs when a PDF is opened: scripts, programs, embedded files, forms with logic. Names may
 * be spelled with hexadecimal escapes, and objects lie in compressed streams, so both are undone first.
 */
import { readFile } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { Refused } from './inspector-protocol.ts'

const stream_bytes_max = 16 * 1024 * 1024
const inflated_bytes_max = 256 * 1024 * 1024
const active = /\/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA|SubmitForm|ImportData)\b/

export async function inspectPdf(path: string): Promise<void> {
  const bytes = await readFile(path)
  check(bytes.toString('latin1'))
  let budget = inflated_bytes_max
  for (let at = 0; ;) {
    const start = bytes.indexOf('stream', at, 'latin1')
    if (start === -1) return
    const from = start + 6 + (bytes[start + 6] === 13 ? 2 : 1)
    const end = bytes.indexOf('endstream', from, 'latin1')
    if (end === -1) return
    at = end + 9
    // A zlib header; pictures and fonts are compressed otherwise or hold no names.
    if (bytes[from] !== 0x78) continue
    const text = inflated(bytes.subarray(from, end))
    budget -= text.length
    if (budget < 0) throw new Refused('archive_bomb')
    if (text.includes('obj') || text.includes('/')) check(text)
  }
}

function inflated(bytes: Buffer): string {
  try {
    // oxlint-disable-next-line node/no-sync -- a process of its own, with one task at a time
    return inflateSync(bytes, { maxOutputLength: stream_bytes_max }).toString('latin1')
  } catch {
    // Cut short, damaged, or larger than any object stream.
    return ''
  }
}

function check(text: string): void {
  const plain = text.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  )
  if (/\/Encrypt\b/.test(plain)) throw new Refused('encrypted_content')
  if (active.test(plain)) throw new Refused('active_content')
}
