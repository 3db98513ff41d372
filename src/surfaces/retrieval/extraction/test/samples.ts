/** Documents made here: a PDF and a Word document with text, and files made to break their readers. */
import { zip } from '../../../uploads/processing/test/samples.ts'

/** One line of text a page. */
export function pdfOf(lines: readonly string[], trailer = ''): Buffer {
  const pages = lines.map((_, n) => `${2 * n + 4} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, n) => {
      const drawing = `BT /F1 12 Tf 20 100 Td (${line}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${2 * n + 5} 0 R
          /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ]
    }),
  ]
  const written = objects.map((one, n) => `${n + 1} 0 obj\n${one}\nendobj\n`).join('')
  const size = `/Size ${objects.length + 1}`
  return Buffer.from(`%PDF-1.4\n${written}trailer << ${size} /Root 1 0 R ${trailer} >>\n%%EOF\n`)
}

const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
const row = (cells: readonly string[]) =>
  `<w:tr>${cells.map(cell => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`

export function word(declaration = '', filling = Buffer.alloc(0)): Buffer {
  const body = `${paragraph('Locks', 'Heading1')}${paragraph('Writers wait.')}<w:tbl>${row(['k', 'v'])}${row(['1', '2'])}</w:tbl>`
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
  const document =
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument'
  const files = {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
      <Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${relations}">
      <Relationship Id="r1" Type="${document}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<?xml version="1.0"?>${declaration}<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles xmlns:w="${main}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
  }
  return zip([
    ...Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) })),
    { name: 'word/media/filling', content: filling },
  ])
}

const laughs = Array.from(
  { length: 9 },
  (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
).join('')

export const hostile = {
  zipBomb: (): Buffer => word('', Buffer.alloc(64 * 1024 * 1024)),
  entities: (): Buffer => word(`<!DOCTYPE d [<!ENTITY a0 "ha">${laughs}]>`),
  htmlEntities: () => `<!DOCTYPE d [<!ENTITY a0 "--">${laughs}]><p>- &#173; -</p>`,
  /** Office puts an encrypted document into an OLE container. */
  encryptedWord: (): Buffer =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]),
  manyPages: (): Buffer => pdfOf(Array.from({ length: 10_000 }, () => 'page')),
  /** The standard handler with a password that is not known. */
  encryptedPdf: (): Buffer => {
    const key = '0'.repeat(64)
    const handler = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >>`
    return pdfOf(['secret'], `/Encrypt ${handler} /ID [<00> <00>]`)
  },
}
