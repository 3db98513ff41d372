/** Routes about templates: drafts, their publication, and how they look with data. */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { nullable, pageQuery, Time } from '../../../kernel/http/shapes.ts'
import { Channel, TemplateName } from '../schemas.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { demandData } from '../intents/prepare-order.ts'
import { isTimezone } from '../preferences/quiet-hours.ts'
import { masked_link } from '../suppressions/unsubscribe-links.ts'
import { changeStatus } from './change-status.ts'
import { createTemplate } from './create-template.ts'
import { findOwn } from './find-template.ts'
import { readTemplate } from './read-template.ts'
import { hashOf, render, RenderFailure } from './render.ts'
import { NewTemplate, Preview, RenderedView, TemplatePage, TemplateView } from './schemas.ts'

const path = '/v1/notification-templates'
const one = `${path}/{name}/versions/{version}`
const absent = 'template_not_found'
const params = {
  name: TemplateName,
  version: Type.String({ pattern: '^[1-9][0-9]{0,6}$', maxLength: 7 }),
}

export function templateRoutes(deps: Deps): readonly Route[] {
  return [
    createRoute(),
    listRoute(deps),
    readRoute(),
    statusRoute('publish', 'draft', 'published'),
    statusRoute('archive', 'published', 'archived'),
    previewRoute(deps),
  ]
}

function createRoute(): Route {
  return route({
    method: 'POST',
    path,
    summary: 'Write the next version of a template as a draft',
    permission: 'notifications.templates.write',
    added: true,
    body: NewTemplate,
    replies: { 201: TemplateView },
    fails: ['template_syntax_error', 'schema_invalid', 'validation_failed'],
    handle: async ({ tx, principal, body }) => {
      const version = await createTemplate(tx, principal, body)
      const made = await readTemplate(tx, principal.tenant_id, body.name, version)
      return reply(201, made, { location: `${path}/${body.name}/versions/${version}` })
    },
  })
}

const Line = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  status: Type.Unsafe<'draft' | 'published' | 'archived'>({ type: 'string' }),
  default_locale: Type.String(),
  channels: Type.Array(Channel),
  created_at: Time,
  published_at: nullable(Time),
})

function listRoute({ kernel: { cursors } }: Deps): Route {
  return route({
    method: 'GET',
    path,
    summary: 'Versions of templates, by name and newest first',
    permission: 'notifications.templates.read',
    added: true,
    query: pageQuery({ name: Type.Optional(TemplateName) }),
    replies: { 200: TemplatePage },
    handle: async ({ tx, principal: { tenant_id }, query: { name }, list }) => {
      const { after, fetch } = cursors.start(list)
      const [last_name = null, last_version = null] = (after ?? []) as [string?, number?]
      const rows = await tx.many(
        Line,
        sql`
          select v.name, v.version, v.status, v.default_locale, v.created_at, v.published_at,
            array(select t.channel from notifications.templates t
              where t.tenant_id = v.tenant_id and t.name = v.name and t.version = v.version
              order by t.channel) as channels
          from notifications.template_versions v
          where v.tenant_id = ${tenant_id} and (${name ?? null}::text is null or v.name = ${name ?? null})
            and (${last_name}::text is null or (v.name, -v.version) > (${last_name}, -${last_version}::int))
          order by v.name, v.version desc
          limit ${fetch}`,
      )
      const { body, headers } = cursors.page(list, rows, row => [row.name, row.version])
      return reply(200, body, headers)
    },
  })
}

function readRoute(): Route {
  return route({
    method: 'GET',
    path: one,
    summary: 'A version of a template with its texts',
    permission: 'notifications.templates.read',
    added: true,
    params,
    absent,
    replies: { 200: TemplateView },
    fails: [absent],
    handle: async ({ tx, params: { name, version }, principal: { tenant_id } }) =>
      reply(200, await readTemplate(tx, tenant_id, name, Number(version))),
  })
}

function statusRoute(
  verb: 'publish' | 'archive',
  from: 'draft' | 'published',
  to: 'published' | 'archived',
): Route {
  return route({
    method: 'POST',
    path: `${one}/${verb}`,
    summary:
      verb === 'publish'
        ? 'Publish a draft; from then on it does not change'
        : 'Archive a published version; it is not sent any more',
    permission: 'notifications.templates.publish',
    added: true,
    params,
    absent,
    replies: { 200: TemplateView },
    fails: [absent, 'invalid_transition'],
    handle: async ({ tx, params: { name, version }, principal: { tenant_id } }) => {
      const at = { tenant_id, name, version: Number(version) }
      await changeStatus(tx, at, from, to)
      return reply(200, await readTemplate(tx, tenant_id, name, at.version))
    },
  })
}

function previewRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${one}/preview`,
    summary: 'Render a version with data of your own; nothing is sent',
    permission: 'notifications.templates.read',
    added: true,
    idempotency: 'ignored',
    params,
    absent,
    body: Preview,
    replies: { 200: RenderedView },
    fails: [
      absent,
      'channel_without_template',
      'template_data_invalid',
      'template_render_failed',
      'invalid_timezone',
    ],
    handle: async ({ tx, params: { name, version }, principal: { tenant_id }, body }) =>
      reply(200, await preview(tx, deps, { tenant_id, name, version: Number(version) }, body)),
  })
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
  await demandData(deps, found, data)
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
