/**
 * How this model counts tokens: a token is a word of up to 16 letters with the space before it. A
 * real tokenizer counts at least as many tokens. So a reservation that was made with a real
 * tokenizer is never too small.
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
