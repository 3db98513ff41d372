/**
 * Finds a template version with its texts: the tenant's own, a built-in one, or one that a surface of
 * the application declares. If two have the same name, the tenant's own template is preferred. For class security the built-in template is
 * used, because the text of a tenant could leak a one-time token.
 */
import { Type, type Static } from 'typebox'
import { boundedCache, Id, nullable, sql, Time, type Kernel, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Channel } from '../schemas.ts'
import { builtInTemplate, type BuiltIn } from './built-in.ts'
import { declaredTemplate } from './create-template.ts'
import type { ChannelTemplate, Content } from './render.ts'

export type TemplateVersion = {
  /** `name@7`, or `dodeca/name@1` for a built-in template. */
  readonly ref: string
  readonly status: 'draft' | 'published' | 'archived'
  readonly data_schema: object | null
  readonly default_locale: string
  readonly channels: ReadonlyMap<string, ChannelTemplate>
}

const Row = Type.Object({
  version: Type.Integer(),
  status: Type.Unsafe<TemplateVersion['status']>({ type: 'string' }),
  default_locale: Type.String(),
  data_schema: Type.Unsafe<Record<string, unknown> | null>({}),
  created_at: Time,
  published_at: nullable(Time),
  id: Id,
  channel: Channel,
  format: Type.Unsafe<'html' | 'text'>({ type: 'string' }),
  subject: nullable(Type.String()),
  body: Type.String(),
  text_body: nullable(Type.String()),
  url: nullable(Type.String()),
  locales: Type.Unsafe<Record<string, Content>>({ type: 'object' }),
})
type Row = Static<typeof Row>
const Newest = Type.Object({ status: Row.properties.status })

const built_in_prefix = 'dodeca/'

type Asked = { readonly name: string; readonly version?: number | undefined }
type Declared = ReadonlyMap<string, BuiltIn>

async function templateToSend(
  reader: Reader,
  declared: Declared,
  tenant_id: string,
  asked: Asked,
  is_security: boolean,
): Promise<TemplateVersion> {
  const { name, version } = asked
  const own = is_security ? undefined : await findOwn(reader, tenant_id, name, version)
  if (own) {
    if (own.status === 'published') return own
    throw problem('template_not_published', { current_state: own.status })
  }
  const built_in = builtInTemplate(name, version) ?? declared.get(name)
  if (built_in) return builtIn(built_in)
  if (!is_security && version === undefined) await refuseUnpublished(reader, tenant_id, name)
  throw problem('template_not_found')
}

/** Says that the template has only drafts or archived versions, if it exists. */
async function refuseUnpublished(reader: Reader, tenant_id: string, name: string): Promise<void> {
  const newest = await reader.maybe(
    Newest,
    sql`
      select status from notifications.template_versions
      where tenant_id = ${tenant_id} and name = ${name}
      order by version desc limit 1`,
  )
  if (newest) throw problem('template_not_published', { current_state: newest.status })
}

/** Without `version`, the newest published one. */
export async function findOwn(
  reader: Reader,
  tenant_id: string,
  name: string,
  version: number | undefined,
): Promise<TemplateVersion | undefined> {
  const rows = await readVersion(reader, tenant_id, name, version)
  const [first] = rows
  return first && versionOf(`${name}@${first.version}`, first, rows)
}

/** One row for each channel of the version. */
export function readVersion(
  reader: Reader,
  tenant_id: string,
  name: string,
  version: number | undefined,
): Promise<Row[]> {
  return reader.many(
    Row,
    sql`
      select t.version, t.status, t.default_locale, t.data_schema, t.created_at, t.published_at, t.id,
        t.channel, t.format, t.subject, t.body, t.text_body, t.url, t.locales
      from notifications.templates t
      where t.tenant_id = ${tenant_id} and t.name = ${name} and t.version = coalesce(
        ${version ?? null}::int,
        (select l.version from notifications.template_versions l
          where l.tenant_id = ${tenant_id} and l.name = ${name} and l.status = 'published'
          order by l.version desc limit 1))
      order by t.channel`,
  )
}

function versionOf(ref: string, first: Row, rows: readonly Row[]): TemplateVersion {
  const { status, data_schema, default_locale } = first
  const channels = new Map(
    rows.map(({ channel, format, subject, body, text_body, url, locales }) => [
      channel,
      {
        channel,
        format,
        default_locale,
        contents: { ...locales, [default_locale]: { subject, body, text_body, url } },
      },
    ]),
  )
  return { ref, status, data_schema, default_locale, channels }
}

function builtIn({ name, version, templates }: BuiltIn): TemplateVersion {
  return {
    ref: `${built_in_prefix}${name}@${version}`,
    status: 'published',
    data_schema: null,
    default_locale: templates[0]?.default_locale ?? 'en',
    channels: new Map(templates.map(one => [one.channel, one])),
  }
}

export type Templates = {
  /** The published version for a new intent. A missing or unpublished version is refused. */
  toSend(
    reader: Reader,
    tenant_id: string,
    asked: Asked,
    is_security: boolean,
  ): Promise<TemplateVersion>
  /** The version that an intent was made with. It cannot change, so it is read once. */
  of(reader: Reader, tenant_id: string, ref: string): Promise<TemplateVersion>
}

/** A surface of the application has one version of a template: that of its code. */
export function openTemplates({ declared }: Pick<Kernel, 'declared'>): Templates {
  const known = boundedCache<TemplateVersion>(2000)
  const own = new Map(
    Object.entries(declared.templates).map(([name, given]) => [
      name,
      declaredTemplate(name, given),
    ]),
  )
  return {
    toSend: (reader, tenant_id, asked, is_security) =>
      templateToSend(reader, own, tenant_id, asked, is_security),
    of: async (reader, tenant_id, ref) => {
      const [name = '', version = ''] = ref.replace(built_in_prefix, '').split('@')
      if (ref.startsWith(built_in_prefix)) {
        const found = builtInTemplate(name, Number(version)) ?? own.get(name)
        if (!found) throw new Error(`this release has no template ${ref}`)
        return builtIn(found)
      }
      const key = `${tenant_id} ${ref}`
      const cached = known.get(key)
      if (cached) return cached
      const found = await findOwn(reader, tenant_id, name, Number(version))
      if (!found) throw new Error(`there is no template ${ref}`)
      known.set(key, found)
      return found
    },
  }
}
