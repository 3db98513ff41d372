/**
 * Normalizes canonical text: NFC, lines end in \n, and characters that are invisible or cannot be
 * stored or compared are removed: control characters, soft hyphens, direction marks, lone
 * surrogates.
 */
// Line breaks, including \v, \f and the three separators of Unicode.
const line_ends = /\r\n?|[\v\f\u0085\u2028\u2029]/g
// Joiners (U+200C, U+200D) stay, because emoji and several scripts need them.
const unseen =
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

export function normalizeText(text: string): string {
  const lines = text.toWellFormed().replaceAll(line_ends, '\n').replaceAll(unseen, '').split('\n')
  return (
    lines
      // Not by an expression such as /[^\S\n]+\n/: it needs the square of a run of spaces, 30 s for
      // 80,000 of them.
      .map(line => line.trimEnd())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .normalize('NFC')
      .trim()
  )
}

/** One line of a paragraph, a heading or a cell. */
export function normalizeLine(text: string): string {
  return normalizeText(text).replaceAll(/\s+/g, ' ')
}

export function codePointLength(text: string): number {
  let length = text.length
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) length--
  return length
}
