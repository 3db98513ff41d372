/**
 * Looks for content that runs when a PDF is opened: scripts, programs, embedded files, forms with
 * logic. First it searches the bytes, after decoding escaped names and compressed objects, because
 * a viewer may repair a file that pdf.js cannot read. Then pdf.js parses the document. A document
 * that pdf.js cannot parse is refused.
 */
import { readFile, stat } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { getDocument, PasswordException, VerbosityLevel } from 'unpdf/pdfjs'
import { Refused, type FileMetadata, type InspectorLimits } from './inspector-protocol.ts'

/** The file is in memory three times: as bytes, as text, and in pdf.js. */
const pdf_bytes_max = 64 * 1024 * 1024
const stream_bytes_max = 16 * 1024 * 1024
const inflated_bytes_max = 256 * 1024 * 1024
/**
 * Strings, such as the URL of a link, may contain the names. Text is left out only if it is in a
 * string wherever it is read from. In the bytes of a file a bracket may also belong to a picture:
 * there the text contains nothing that ends one object and begins another.
 */
const string_in_file = /\([^()<>\\\s\0]*\)/g
const string_in_stream = /\([^()<>\\\r\n]*\)/g
const active = /\/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA|SubmitForm|ImportData)\b/

export async function inspectPdf(path: string, limits: InspectorLimits): Promise<FileMetadata> {
  const { size } = await stat(path)
  if (size > pdf_bytes_max) throw new Refused('scan_limit_exceeded')
  const bytes = await readFile(path)
  search(bytes)
  return await parse(bytes, limits)
}

function search(bytes: Buffer): void {
  check(bytes.toString('latin1').replaceAll(string_in_file, '()'))
  let budget = inflated_bytes_max
  for (let at = 0; ;) {
    const start = bytes.indexOf('stream', at, 'latin1')
    if (start === -1) return
    const from = start + 6 + (bytes[start + 6] === 13 ? 2 : 1)
    const end = bytes.indexOf('endstream', from, 'latin1')
    if (end === -1) return
    at = end + 9
    // A zlib header. Pictures and fonts use other compression or contain no names.
    if (bytes[from] !== 0x78) continue
    const text = inflated(bytes.subarray(from, end))
    budget -= text.length
    if (budget < 0) throw new Refused('archive_bomb')
    if (text.includes('/')) check(text.replaceAll(string_in_stream, '()'))
  }
}

function inflated(bytes: Buffer): string {
  try {
    // oxlint-disable-next-line node/no-sync -- a process of its own, with one task at a time
    return inflateSync(bytes, { maxOutputLength: stream_bytes_max }).toString('latin1')
  } catch {
    // The stream is cut short, damaged, or larger than any object stream.
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

async function parse(bytes: Buffer, limits: InspectorLimits): Promise<FileMetadata> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    enableXfa: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: VerbosityLevel.ERRORS,
  })
  try {
    const document = await loading.promise
    const { numPages: pages } = document
    if (pages > limits.pdf_pages) throw new Refused('scan_limit_exceeded')
    const { info } = await document.getMetadata()
    const { IsXFAPresent: has_xfa = false } = info as { IsXFAPresent?: boolean }
    const has_scripts = (await document.getJSActions()) !== null
    const has_files = (await document.getAttachments()) !== null
    if (has_xfa || has_scripts || has_files) throw new Refused('active_content')
    return { pages }
  } catch (error) {
    if (error instanceof Refused) throw error
    const locked = error instanceof PasswordException
    throw new Refused(locked ? 'encrypted_content' : 'media_corrupt')
  } finally {
    await loading.destroy()
  }
}
