/**
 * Counts the tokens of a text with `o200k_base`. The text is split into words first, and the counts
 * of known words are cached. That takes a third of the time of counting the whole text.
 */
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'

/** Documents may contain text that looks like a control token of a model. */
const everything_is_text = {
  allowedSpecial: new Set<string>(),
  disallowedSpecial: new Set<string>(),
}
const known = new Map<string, number>()
const known_max = 50_000
const word_length_max = 200
/**
 * Splitting here does not change the count: a single space before a letter always begins a piece of
 * the encoding. A piece has no other space inside or at its end, unless more whitespace is beside
 * it.
 */
const word_begins = /(?<=\S)(?= \p{L})/u

export function countTokens(text: string): number {
  let sum = 0
  for (const word of text.split(word_begins)) sum += tokensOf(word)
  return sum
}

function tokensOf(word: string): number {
  if (word.length > word_length_max) return count(word, everything_is_text)
  const seen = known.get(word)
  if (seen !== undefined) return seen
  const tokens = count(word, everything_is_text)
  if (known.size >= known_max) known.clear()
  known.set(word, tokens)
  return tokens
}
