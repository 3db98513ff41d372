/**
 * The text of a PDF, page by page. Lines become paragraphs: a line that ends in a hyphen is joined with
 * the next, and a larger gap between lines begins a paragraph. Pages without text are not read by OCR.
 */
import { getDocument, PasswordException, VerbosityLevel } from 'unpdf/pdfjs'
import type { Canonical } from './canonical.ts'
import { ExtractionFailed, type ExtractLimits } from './extract.ts'
import { openWriter } from './writer.ts'

/** A gap of more than this many line heights begins a paragraph. */
const paragraph_gap = 1.6

export async function readPdf(bytes: Uint8Array, limits: ExtractLimits): Promise<Canonical> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    enableXfa: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: VerbosityLevel.ERRORS,
  })
  try {
    const document = await loading.promise
    if (document.numPages > limits.pages) throw new ExtractionFailed('extraction_resource_limit')
    const writer = openWriter(limits.characters)
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      writer.page(number)
      const { items } = await page.getTextContent()
      for (const paragraph of paragraphsOf(items as TextItem[])) writer.paragraph(paragraph)
      page.cleanup()
    }
    const { info } = await document.getMetadata()
    return writer.finish((info as { Title?: string }).Title || null)
  } catch (error) {
    if (error instanceof PasswordException) throw new ExtractionFailed('encrypted_document')
    throw error
  } finally {
    await loading.destroy()
  }
}

/** Marks of structure have no text. */
type TextItem = {
  readonly str?: string
  readonly hasEOL?: boolean
  readonly height?: number
  readonly transform?: readonly number[]
}

function paragraphsOf(items: readonly TextItem[]): string[] {
  const paragraphs: string[] = []
  let current = ''
  let line_y: number | undefined
  for (const { str = '', hasEOL = false, height = 0, transform = [] } of items) {
    const y = transform[5]
    if (str.trim() !== '' && y !== undefined) {
      if (line_y !== undefined && Math.abs(line_y - y) > paragraph_gap * Math.max(height, 1)) {
        paragraphs.push(current)
        current = ''
      }
      line_y = y
    }
    current += str
    if (hasEOL) current = /\p{Ll}-$/u.test(current) ? current.slice(0, -1) : `${current} `
  }
  return [...paragraphs, current]
}
