/**
 * Extracts the text of a picture with OCR, in English. Weights and program come from installed
 * packages only.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorker } from 'tesseract.js'
import type { Canonical } from './canonical.ts'
import type { ExtractLimits } from './extract.ts'
import { openWriter } from './writer.ts'

const data = dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng')))

export async function readImage(bytes: Uint8Array, limits: ExtractLimits): Promise<Canonical> {
  const worker = await createWorker('eng', 1, {
    langPath: join(data, '4.0.0_best_int'),
    gzip: true,
    // Otherwise the package writes the unpacked weights into the current folder.
    cacheMethod: 'none',
  })
  try {
    const reply = await worker.recognize(Buffer.from(bytes))
    const writer = openWriter(limits.characters)
    for (const paragraph of reply.data.text.split(/\n\s*\n/)) writer.paragraph(paragraph)
    return writer.finish(null)
  } finally {
    await worker.terminate()
  }
}
