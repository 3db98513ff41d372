/** A template version as its authors see it. */
import type { Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { readVersion } from './find-template.ts'
import type { TemplateView } from './schemas.ts'

export async function readTemplate(
  reader: Reader,
  tenant_id: string,
  name: string,
  version: number,
): Promise<TemplateView> {
  const rows = await readVersion(reader, tenant_id, name, version)
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
    channels: rows.map(({ id, channel, format, subject, body, text_body: text, url, locales }) => ({
      id,
      channel,
      format,
      subject,
      body,
      text,
      url,
      locales: Object.fromEntries(
        Object.entries(locales).map(([locale, { text_body, ...one }]) => [
          locale,
          { ...one, text: text_body },
        ]),
      ),
    })),
    created_at,
    published_at,
  }
}
