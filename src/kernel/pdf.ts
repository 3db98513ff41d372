/**
 * pdf.js, to read the text and the structure of a PDF. Only its drawing uses a canvas (35 MB), which
 * `overrides` in package.json leave out; without these names it prints a warning for each of them.
 */
function Undrawn(): never {
  throw new Error('PDFs are not drawn')
}
for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) {
  Object.defineProperty(globalThis, name, { value: Undrawn, configurable: true, writable: true })
}

export const { getDocument, PasswordException, VerbosityLevel } =
  await import('pdfjs-dist/legacy/build/pdf.mjs')
