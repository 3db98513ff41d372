/**
 * Splits text into words for the built-in profiles and the exact index: in lower case, without
 * accents, stemmed if the language is English.
 */
import stem from 'wink-porter2-stemmer'

const word = /[\p{L}\p{M}\p{N}]+/gu
const marks = /\p{M}+/gu
const beyond_ascii = /\P{ASCII}/u
const stemmed = new Map<string, string>()
const stemmed_max = 200_000

const stop_words = new Set(
  `a an and are as at be but by can do for from has have how i if in into is it its may not of on or
  that the their then there these they this to was what when where which will with you your`.split(
    /\s+/,
  ),
)

export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const folded = beyond_ascii.test(lower) ? lower.normalize('NFD').replaceAll(marks, '') : lower
  return folded.match(word) ?? []
}

export const isStopWord = (word: string): boolean => stop_words.has(word)

export function stemOf(word: string): string {
  const known = stemmed.get(word)
  if (known !== undefined) return known
  const made = /^[a-z]{3,40}$/.test(word) ? stem(word) : word
  if (stemmed.size >= stemmed_max) stemmed.clear()
  stemmed.set(word, made)
  return made
}
