/** Chooses the reader of a detected type, inside the child process. Readers are loaded when first used. */
import { isInstalled } from '../installed.ts'
import type { Canonical } from './canonical.ts'
import { ExtractionFailed, type ExtractLimits } from './extract.ts'

type Read = (bytes: Uint8Array, limits: ExtractLimits) => Canonical | Promise<Canonical>

const text: () => Promise<Read> = async () => (await import('./read-text.ts')).readText
const image: () => Promise<Read> = async () => {
  if (!isInstalled('ocr')) throw new ExtractionFailed('unsupported_document_type')
  return (await import('./read-image.ts')).readImage
}

const readers: Readonly<Record<string, () => Promise<Read>>> = {
  'text/plain': text,
  'text/csv': text,
  'application/json': text,
  'text/markdown': async () => (await import('./read-markdown.ts')).readMarkdown,
  'text/html': async () => (await import('./read-html.ts')).readHtml,
  'application/pdf': async () => (await import('./read-pdf.ts')).readPdf,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': async () =>
    (await import('./read-docx.ts')).readDocx,
  'image/png': image,
  'image/jpeg': image,
}

export async function extractFile(
  bytes: Uint8Array,
  detected_type: string,
  limits: ExtractLimits,
): Promise<Canonical> {
  const load = readers[detected_type]
  if (!load) throw new ExtractionFailed('unsupported_document_type')
  const read = await load()
  const canonical = await read(bytes, limits)
  if (!/[\p{L}\p{N}]/u.test(canonical.text)) throw new ExtractionFailed('empty_document')
  return canonical
}
