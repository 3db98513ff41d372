/**
 * What this model counts as tokens: words of up to 16 letters, with the space before them. That is at
 * most what a real tokenizer counts, so that a reservation made with one is never too small.
 */
const piece = /\s*[\p{L}\p{N}]{1,16}|\s*[^\s\p{L}\p{N}]+|\s+/gu

export function tokensOf(text: string): string[] {
  return text.match(piece) ?? []
}

export function countTokens(text: string): number {
  let count = 0
  for (const _ of text.matchAll(piece)) count++
  return count
}
