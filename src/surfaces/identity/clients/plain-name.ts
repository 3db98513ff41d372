/**
 * Whether people can read a name as it is: no control characters, none that turn the direction of a
 * text or cannot be seen, and no half of a character.
 */
const unreadable = /[\p{Cc}\p{Cs}\p{Co}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u

export function isPlainName(name: string): boolean {
  return /\S/.test(name) && !unreadable.test(name)
}
