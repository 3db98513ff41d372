/** Routes of templates: drafts, publishing, and previews with data. */
import { Type, type Static } from 'typebox'
import { reply, routesOf, sql, type Reader } from '#dodeca/kernel'
import { TemplateName } from '../schemas.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireData } from '../intents/prepare-order.ts'
import { isTimezone } from '../preferences/quiet-hours.ts'
import { masked_link } from '../suppressions/unsubscribe-links.ts'
import { changeStatus } from './change-status.ts'
import { createTemplate } from './create-template.ts'
import { findOwn } from './find-template.ts'
import { readTemplate } from './read-template.ts'
import { hashOf, render, RenderFailure } from './render.ts'
import { NewTemplate, Preview, RenderedView, TemplateLine, TemplateView } from './schemas.ts'

const path = '/v1/notification-templates'
const one = `${path}/{name}/versions/{version}`
const absent = 'template_not_found'
const { open, get, list, create, post } = routesOf<Deps>({
  absent,
  read: 'notifications.templates.read',
  added: true,
  params: {
    name: TemplateName,
    version: Type.String({ pattern: '^[1-9][0-9]{0,6}$', maxLength: 7 }),
  },
})

export const templateRoutes = open({
  createNotificationTemplate: create(
    path,
    'Create the next version of a template as a draft',
    {
      sends: ['location'],
      permission: 'notifications.templates.write',
      body: NewTemplate,
      reply: TemplateView,
      fails: ['template_syntax_error', 'schema_invalid', 'validation_failed'],
    },
    async ({ tx, principal, body }) => {
      const version = await createTemplate(tx, principal, body)
      const made = await readTemplate(tx, principal.tenant_id, body.name, version)
      return reply(201, made, { location: `${path}/${body.name}/versions/${version}` })
    },
  ),

  listNotificationTemplates: list(
    path,
    'List template versions, by name and newest first',
    { item: TemplateLine, filters: { name: Type.Optional(TemplateName) } },
    async ({ tx, principal: { tenant_id }, query: { name }, list }, { kernel: { cursors } }) => {
      const { after, fetch } = cursors.start(list)
      const [last_name = null, last_version = null] = (after ?? []) as [string?, number?]
      const rows = await tx.many(
        TemplateLine,
        sql`
          select v.name, v.version, v.status, v.default_locale, v.created_at, v.published_at,
            array(select t.channel from notifications.template_texts t
              where t.tenant_id = v.tenant_id and t.name = v.name and t.version = v.version
              order by t.channel) as channels
          from notifications.template_versions v
          where v.tenant_id = ${tenant_id} and (${name ?? null}::text is null or v.name = ${name ?? null})
            and (${last_name}::text is null or (v.name, -v.version) > (${last_name}, -${last_version}::int))
          order by v.name, v.version desc
          limit ${fetch}`,
      )
      return cursors.page(list, rows, row => [row.name, row.version])
    },
  ),

  getNotificationTemplate: get(
    one,
    'Get a template version with its texts',
    { sends: [], reply: TemplateView },
    async ({ tx, params: { name, version }, principal: { tenant_id } }) =>
      await readTemplate(tx, tenant_id, name, Number(version)),
  ),

  publishNotificationTemplate: moving(
    'publish',
    'Publish a draft; a published version cannot be changed',
    ['draft', 'published'],
  ),

  archiveNotificationTemplate: moving(
    'archive',
    'Archive a published version; it cannot be sent any more',
    ['published', 'archived'],
  ),

  previewNotificationTemplate: post(
    `${one}/preview`,
    'Preview a template version with your own data',
    {
      permission: 'notifications.templates.read',
      // It only reads.
      idempotency: 'ignored',
      body: Preview,
      reply: RenderedView,
      fails: [
        'channel_without_template',
        'template_data_invalid',
        'template_render_failed',
        'invalid_timezone',
      ],
    },
    async ({ tx, params: { name, version }, principal: { tenant_id }, body }, deps) =>
      await preview(tx, deps, { tenant_id, name, version: Number(version) }, body),
  ),
})

function moving(
  verb: string,
  summary: string,
  [from, to]: ['draft', 'published'] | ['published', 'archived'],
) {
  return post(
    `${one}/${verb}`,
    summary,
    {
      sends: [],
      permission: 'notifications.templates.publish',
      reply: TemplateView,
      fails: ['invalid_transition'],
    },
    async ({ tx, params: { name, version }, principal: { tenant_id } }) => {
      const at = { tenant_id, name, version: Number(version) }
      await changeStatus(tx, at, from, to)
      return await readTemplate(tx, tenant_id, name, at.version)
    },
  )
}

async function preview(
  reader: Reader,
  deps: Deps,
  at: { tenant_id: string; name: string; version: number },
  asked: Static<typeof Preview>,
): Promise<Static<typeof RenderedView>> {
  const found = await findOwn(reader, at.tenant_id, at.name, at.version)
  if (!found) throw problem(absent)
  const template = found.channels.get(asked.channel)
  if (!template) throw problem('channel_without_template')
  const { timezone = 'UTC', locale = null, data } = asked
  if (!isTimezone(timezone)) throw problem('invalid_timezone')
  await requireData(deps, found, data)
  try {
    const rendered = render(template, {
      data,
      locales: [locale],
      timezone,
      now: new Date(deps.kernel.clock.nowMs()).toISOString(),
      unsubscribe_url: masked_link,
    })
    return { ...rendered, sha256: hashOf(rendered).toString('hex') }
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error
    throw problem('template_render_failed', { detail: error.message.slice(0, 500) })
  }
}
