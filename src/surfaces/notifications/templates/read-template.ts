/** A version of a template as its authors see it. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable, Time } from '../../../kernel/http/shapes.ts'
import { problem } from '../errors.ts'
import { Channel } from '../schemas.ts'
import type { Content } from './render.ts'
import type { TemplateView } from './schemas.ts'

const Row = Type.Object({
  status: Type.Unsafe<TemplateView['status']>({ type: 'string' }),
  default_locale: Type.String(),
  data_schema: Type.Unsafe<Record<string, unknown> | null>({}),
  created_at: Time,
  published_at: nullable(Time),
  id: Id,
  channel: Channel,
  format: Type.Unsafe<'html' | 'text'>({ type: 'string' }),
  subject: nullable(Type.String()),
  body: Type.String(),
  text: nullable(Type.String()),
  url: nullable(Type.String()),
  locales: Type.Unsafe<Record<string, Content>>({}),
})

export async function readTemplate(
  reader: Reader,
  tenant_id: string,
  name: string,
  version: number,
): Promise<TemplateView> {
  const rows = await reader.many(
    Row,
    sql`
      select v.status, v.default_locale, v.data_schema, v.created_at, v.published_at, t.id, t.channel,
        t.format, t.subject, t.body, t.text_body as text, t.url, t.locales
      from notifications.template_versions v
      join notifications.templates t
        on t.tenant_id = v.tenant_id and t.name = v.name and t.version = v.version
      where v.tenant_id = ${tenant_id} and v.name = ${name} and v.version = ${version}
      order by t.channel`,
  )
  const [first] = rows
  if (!first) throw problem('template_not_found')
  const { status, default_locale, data_schema, created_at, published_at } = first
  return {
    name,
    version,
    status,
    tenant_id,
    default_locale,
    data_schema,
    channels: rows.map(({ id, channel, format, subject, body, text, url, locales }) => ({
      id,
      channel,
      format,
      subject,
      body,
      text,
      url,
      locales: Object.fromEntries(
        Object.entries(locales).map(([locale, one]) => [
          locale,
          { subject: one.subject, body: one.body, text: one.text_body, url: one.url },
        ]),
      ),
    })),
    created_at,
    published_at,
  }
}
