/** The members and columns of a letter in each release. */
import { Type } from 'typebox'
import { closed, deprecated, Id, nullable, sql, text } from '#dodeca/kernel'

export type LettersRelease = 1 | 2 | 3

export const color_ends = {
  at: '2026-11-01T00:00:00Z',
  sunset: '2027-06-01T00:00:00Z',
  replacement: 'Send `ink`.',
}

export function shapesOf(release: LettersRelease) {
  const word = Type.Optional(text(20))
  const given = {
    ...(release === 1 ? { color: word } : { ink: word }),
    ...(release === 2 ? { color: deprecated(word, color_ends) } : {}),
  }
  const shown = nullable(Type.String())
  const returned = {
    ...(release === 1 ? { color: shown } : { ink: shown }),
    ...(release === 2 ? { color: deprecated(shown, color_ends) } : {}),
  }
  return {
    Write: closed({ text: text(200), ...given }),
    Letter: Type.Object({ id: Id, text: Type.String(), ...returned }, { title: 'Letter' }),
    columns: {
      1: sql`color`,
      // Release 1 still writes only the old one.
      2: sql`coalesce(ink, color) as ink, coalesce(ink, color) as color`,
      3: sql`ink`,
    }[release],
  }
}
