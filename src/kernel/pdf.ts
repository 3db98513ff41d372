/**
 * Loads pdf.js, which reads the text and the structure of a PDF. Only drawing needs a canvas (35
 * MB), so `overrides` in package.json leave the canvas out. Without the names below, pdf.js prints
 * a warning for each of them.
 */
function Undrawn(): never {
  throw new Error('PDFs are not drawn')
}
for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) {
  Object.defineProperty(globalThis, name, { value: Undrawn, configurable: true, writable: true })
}

export const { getDocument, PasswordException, VerbosityLevel } =
  await import('pdfjs-dist/legacy/build/pdf.mjs')
