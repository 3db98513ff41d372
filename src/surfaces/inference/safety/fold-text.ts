/**
 * Text as the block list compares it: decomposed (NFKD, so that full-width and other compatible
 * forms are equal), without format characters and halves of surrogate pairs, which a reader does not
 * see. Decomposition works on each code point alone, so a text that arrives in pieces is folded like
 * the whole.
 */
const unseen = /[\p{Cf}\p{Cs}]/gu
const ascii = /^[\0-\x7f]*$/

export function foldText(text: string): string {
  return ascii.test(text) ? text : text.normalize('NFKD').replaceAll(unseen, '')
}

/** `places[i]` is where in the text the i-th character of the folded text begins. */
export type Folded = { readonly text: string; readonly places: readonly number[] | null }

export function foldWithPlaces(text: string): Folded {
  if (ascii.test(text)) return { text, places: null }
  let folded = ''
  let at = 0
  const places: number[] = []
  for (const point of text) {
    const part = foldText(point)
    places.push(...Array<number>(part.length).fill(at))
    folded += part
    at += point.length
  }
  places.push(at)
  return { text: folded, places }
}

/** The place in the text of a place in the folded text. */
export function unfold({ places }: Folded, at: number): number {
  return places ? (places[at] ?? 0) : at
}

/** The first place in the folded text that is not before a place in the text. */
export function refold({ places, text }: Folded, at: number): number {
  if (!places) return at
  const found = places.findIndex(place => place >= at)
  return found === -1 ? text.length : found
}

/** Where the text begins that rules look behind at: two characters that a reader sees. */
export function lookBehind(text: string, end: number): number {
  let seen = 0
  let at = end
  while (at > 0 && seen < 2 && end - at < 1000) if (foldText(text[--at] ?? '') !== '') seen++
  return at
}
