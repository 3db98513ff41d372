/**
 * Writes the next version of a template as a draft. Its texts are parsed now, so that no send finds
 * a syntax error.
 */
import { createRequire } from 'node:module'
import type * as HtmlToText from 'html-to-text'
import { Type } from 'typebox'
import { newId, sql, type MessageTemplate, type Principal, type Tx } from '#dodeca/kernel'
import { channels, type Channel } from '../schemas.ts'
import type { BuiltIn } from './built-in.ts'
import { checkSize, checkTexts } from './check-texts.ts'
import { checkSchema } from './data-schema.ts'
import type { Kind } from './language.ts'
import type { Content } from './render.ts'
import type { NewTemplate } from './schemas.ts'
import { problem } from '../errors.ts'

type Given = {
  readonly subject?: string
  readonly title?: string
  readonly body: string
  readonly text?: string
  readonly url?: string
}

/** The parser has 60 files. They are loaded with the first template in HTML. */
const require = createRequire(import.meta.url)
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const Version = Type.Object({ version: Type.Integer() })

export async function createTemplate(
  tx: Tx,
  { tenant_id, id: created_by }: Principal,
  asked: NewTemplate,
): Promise<number> {
  const { name, default_locale, data_schema } = asked
  checkSize(asked)
  if (data_schema) await checkSchema(data_schema)
  const rows = rowsOf(asked)
  // Two concurrent drafts get two numbers: the second transaction waits for the first.
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tenant_id} notification_template ${name}`}, 0))`)
  const { version } = await tx.one(
    Version,
    sql`
      insert into notifications.template_versions
        (tenant_id, name, version, default_locale, data_schema, created_by)
      select ${tenant_id}, ${name}, coalesce(max(version), 0) + 1, ${default_locale},
        ${data_schema ? sql.json(data_schema) : null}, ${created_by}
      from notifications.template_versions where tenant_id = ${tenant_id} and name = ${name}
      returning version`,
  )
  for (const { channel, format, content, locales } of rows) {
    await tx.run(sql`
      insert into notifications.template_texts
        (tenant_id, id, name, version, channel, format, subject, body, text_body, url, locales)
      values (${tenant_id}, ${newId()}, ${name}, ${version}, ${channel}, ${format}, ${content.subject},
        ${content.body}, ${content.text_body}, ${content.url}, ${sql.json(locales)})`)
  }
  return version
}

/** A template that is a part of the code, with its texts checked in the same way. */
export function declaredTemplate(name: string, given: MessageTemplate): BuiltIn {
  const { default_locale } = given
  const templates = rowsOf(given).map(({ channel, format, content, locales }) => ({
    channel,
    format,
    default_locale,
    contents: { ...locales, [default_locale]: content },
  }))
  return { name, version: 1, templates }
}

type NewRow = {
  readonly channel: Channel
  readonly format: Kind
  readonly content: Content
  readonly locales: Record<string, Content>
}

function rowsOf({ channels: given, locales = {}, default_locale }: MessageTemplate): NewRow[] {
  const rows: NewRow[] = []
  for (const channel of channels) {
    const texts = given[channel]
    if (!texts) continue
    const given_format = 'format' in texts ? texts.format : undefined
    const format = given_format ?? (channel === 'email' ? 'html' : 'text')
    const content = contentOf(texts, channel, format, `/channels/${channel}`)
    const others: Record<string, Content> = {}
    for (const [locale, one] of Object.entries(locales)) {
      const translated = one[channel]
      if (!translated || locale === default_locale) continue
      const pointer = `/locales/${locale}/${channel}`
      others[locale] = contentOf(translated, channel, format, pointer)
    }
    rows.push({ channel, format, content, locales: others })
  }
  if (rows.length > 0) return rows
  throw problem('validation_failed', {
    detail: 'Give the texts of at least one channel.',
    errors: [{ location: 'body', pointer: '/channels', constraint: 'minProperties' }],
  })
}

function contentOf(given: Given, channel: Channel, format: Kind, pointer: string): Content {
  const { body, text = null, url = null } = given
  const subject = given.subject ?? given.title ?? null
  const name = channel === 'email' ? 'subject' : 'title'
  const html = channel === 'email' && format === 'html'
  checkTexts([
    ...(subject === null
      ? []
      : [{ pointer: `${pointer}/${name}`, kind: 'text' as const, text: subject }]),
    { pointer: `${pointer}/body`, kind: html ? 'html' : 'text', text: body },
    ...(text === null ? [] : [{ pointer: `${pointer}/text`, kind: 'text' as const, text }]),
    ...(url === null ? [] : [{ pointer: `${pointer}/url`, kind: 'text' as const, text: url }]),
  ])
  return { subject, body, text_body: html ? (text ?? readable(body)) : null, url }
}

/** The text part of a mail, with the tags of the template unchanged. */
function readable(html: string): string {
  const { htmlToText } = require('html-to-text') as typeof HtmlToText
  return htmlToText(html, {
    wordwrap: false,
    limits: { maxInputLength: 512 * 1024, maxDepth: 50 },
    selectors: [
      { selector: 'img', format: 'skip' },
      // Upper case would change the names of variables.
      ...headings.map(selector => ({ selector, options: { uppercase: false } })),
      { selector: 'table', options: { uppercaseHeaderCells: false } },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  })
}
