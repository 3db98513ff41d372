/**
 * What an organization gives to the account pages: its logo and two colours. Text on a colour is black
 * or white, whichever is easier to read, so that no colour makes a page unreadable.
 */
import { Type, type Static } from 'typebox'
import { closed, markup, nullable, sql, trusted, type Markup, type Reader } from '#dodeca/kernel'

const Colour = Type.String({
  pattern: '^#[0-9a-f]{6}$',
  minLength: 7,
  maxLength: 7,
  examples: ['#0b5d4e'],
})
const logo_bytes_max = 64 * 1024
const base64_max = Math.ceil(logo_bytes_max / 3) * 4

export const Theme = closed(
  {
    /** A picture in the page itself: a browser asks no other server for it. */
    logo: Type.Optional(
      Type.String({
        description: 'A PNG, JPEG or WebP of at most 64 KiB, as a data URL.',
        pattern:
          '^data:image/(png;base64,iVBORw0KGgo|jpeg;base64,/9j/|webp;base64,UklGR)[A-Za-z0-9+/]*={0,2}$',
        maxLength: 'data:image/jpeg;base64,'.length + base64_max,
        examples: [
          'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        ],
      }),
    ),
    accent: Type.Optional(Colour),
    background: Type.Optional(Colour),
  },
  { title: 'Theme' },
)
export type Theme = Static<typeof Theme>

/** The largest body of a change of an organization. */
export const theme_body_bytes = 160 * 1024

const Row = Type.Object({ name: Type.String(), theme: nullable(Theme) })

/** What a page shows of an organization. */
export type Look = Theme & { readonly name: string }

/**
 * A theme is shown only for trusted organizations: on the page of a log-in, that of a stranger could
 * look like another one's. Without one, the pages look like those of the tenant `default`.
 */
export async function lookOf(
  reader: Reader,
  tenant: { readonly id: string } | { readonly slug: string },
): Promise<Look | null> {
  const which = 'id' in tenant ? sql`id = ${tenant.id}` : sql`slug = ${tenant.slug}`
  const row = await reader.maybe(
    Row,
    sql`
      select name, theme from identity.tenants
      where (${which} or slug = 'default') and state = 'active' and trusted and theme is not null
      order by slug = 'default' limit 1`,
  )
  return row?.theme ? { ...row.theme, name: row.name } : null
}

/** A page on a light background is light for everybody: the logo was drawn for it. */
export function styleOf({ accent, background }: Theme): string {
  const ink = background && inkOn(background)
  const page =
    ink &&
    `color-scheme: ${ink === '#000' ? 'light' : 'dark'}; --page: ${background}; --on-page: ${ink};`
  const brand = accent && `--brand: ${accent}; --on-brand: ${inkOn(accent)};`
  return page || brand ? `:root { ${page ?? ''} ${brand ?? ''} }\n` : ''
}

export function logoOf({ logo, name }: Look): Markup | null {
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
