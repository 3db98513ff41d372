/** What an organization gives to the pages of the platform: its logo and two colours. */
import { Type, type Static } from 'typebox'
import { closed, nullable, sql, type Look, type Reader } from '#dodeca/kernel'

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

/**
 * A theme is shown only for trusted organizations: on the page of a log-in or of a payment, that of a
 * stranger could look like another one's. Without one, the pages look like those of the tenant `default`.
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
