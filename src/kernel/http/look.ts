/**
 * How an organization wants a page of ours to look: its logo and two colours. Text on a colour is
 * black or white, whichever is easier to read, so that no colour makes a page unreadable.
 */
import { markup, trusted, type Markup } from './markup.ts'

export type Look = {
  readonly name: string
  /** A picture in the page itself: a browser asks no other server for it. */
  readonly logo?: string
  readonly accent?: string
  readonly background?: string
}

/** Sets `--page`, `--brand` and the colours on them, for a style sheet that uses them. */
export function lookStyle({ accent, background }: Omit<Look, 'name'>): string {
  const ink = background && inkOn(background)
  // A page on a light background is light for everybody: the logo was drawn for it.
  const page =
    ink &&
    `color-scheme: ${ink === '#000' ? 'light' : 'dark'}; --page: ${background}; --on-page: ${ink};`
  const brand = accent && `--brand: ${accent}; --on-brand: ${inkOn(accent)};`
  return page || brand ? `:root { ${page ?? ''} ${brand ?? ''} }\n` : ''
}

export function lookLogo({ logo, name }: Look): Markup | null {
  return logo === undefined
    ? null
    : markup`<p class="logo"><img src="${trusted(logo)}" alt="${name}"></p>`
}

/** The contrast of black and of white with a colour multiply to 21, so one is at least 4.58. */
function inkOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? '#000' : '#fff'
}
