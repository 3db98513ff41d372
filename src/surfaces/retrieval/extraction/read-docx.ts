/**
 * Word documents. The archive is checked before it is read, because the reader holds all of it in
 * memory. The unpacked size is counted, and a document type declaration (entities) is refused.
 */
import mammoth from 'mammoth'
import yauzl from 'yauzl'
import type { Canonical } from './canonical.ts'
import { ExtractionFailed, type ExtractLimits } from './extract.ts'
import { readFragment } from './read-html.ts'

/** Small parts may have a better compression than any limit. */
const ratio_from_bytes = 1024 * 1024
const entries_max = 10_000
/** An OLE container instead of a ZIP archive: Office stores encrypted documents in this way. */
const ole_magic = 0xd0cf11e0

export async function readDocx(bytes: Uint8Array, limits: ExtractLimits): Promise<Canonical> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length > 4 && buffer.readUInt32BE() === ole_magic) {
    throw new ExtractionFailed('encrypted_document')
  }
  await checkArchive(buffer, limits)
  const { value } = await mammoth.convertToHtml(
    { buffer },
    // A picture would become part of the text.
    { convertImage: mammoth.images.imgElement(async () => await Promise.resolve({ src: '' })) },
  )
  return readFragment(value, limits)
}

async function checkArchive(buffer: Buffer, limits: ExtractLimits): Promise<void> {
  const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true })
  let expanded = 0
  let entries = 0
  for await (const entry of zip.eachEntry()) {
    if (++entries > entries_max) throw new ExtractionFailed('extraction_resource_limit')
    if ((entry.generalPurposeBitFlag & 1) !== 0) throw new ExtractionFailed('encrypted_document')
    if (entry.fileName.endsWith('/')) continue
    let size = 0
    let head = ''
    const stream = await zip.openReadStreamPromise(entry)
    for await (const part of stream as AsyncIterable<Buffer>) {
      if (head.length < 4096) head += part.subarray(0, 4096).toString('latin1')
      size += part.length
      expanded += part.length
      const packed = Math.max(1, entry.compressedSize)
      if (
        expanded > limits.expanded_bytes ||
        (size > ratio_from_bytes && size > packed * limits.archive_ratio)
      ) {
        throw new ExtractionFailed('extraction_resource_limit')
      }
    }
    if (/<!DOCTYPE|<!ENTITY/i.test(head)) throw new ExtractionFailed('extraction_failed')
  }
}
