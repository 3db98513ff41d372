/** Notifications under the crawler: how templates, batches, destinations and items of an inbox come about. */
import { randomBytes } from 'node:crypto'
import type { Maker, Recipe } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openUnsubscribeLinks } from '../suppressions/unsubscribe-links.ts'
import { newAddress, usual_data, usual_texts } from './notify-world.ts'

type Making = Maker<ProductWorld, Member>
type Params = Readonly<Record<string, string>>

const says = (say: (maker: Making, params: Params) => unknown): Recipe<ProductWorld, Member> => ({
  request: async (maker, params) => ({ body: await say(maker, params) }),
})

const path = '/v1/notification-templates'
const template = () => ({ name: `t-${newId()}`, default_locale: 'en', channels: usual_texts })
const category = { class: 'marketing', default_channels: ['email'] }
const preferences = { timezone: 'Europe/Berlin', preferences: [] }

async function published({ ask }: Making): Promise<string> {
  const { name } = await ask('POST', path, template())
  await ask('POST', `${path}/${name}/versions/1/publish`)
  return name as string
}

async function order(maker: Making) {
  return {
    recipient: { email: newAddress() },
    category: 'order.updates',
    template: { name: await published(maker) },
    data: usual_data,
    // Scheduled, so that it can be cancelled.
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
  }
}

async function batch(maker: Making) {
  const { recipient, ...shared } = await order(maker)
  return { ...shared, channels: ['email'], recipients: [{ recipient }] }
}

async function destination({ ask, person }: Making): Promise<string> {
  const asked = { channel: 'push', provider: 'fcm', token: newId() }
  return (await ask('POST', `/v1/users/${person.id}/destinations`, asked)).id
}

async function code({ world }: Making, { id = '' }: Params) {
  const { db, keys } = world.platform.kernel
  const hash = keys.fingerprint('notifications.codes', `${id}\n123456`)
  await db.run(sql`
    -- any tenant: one destination by its id
    update notifications.destinations
    set code_hash = ${hash}, code_expires_at = kernel.now() + interval '1 minute'
    where id = ${id}`)
  return { code: '123456' }
}

await crawlSurface({
  surface: 'notifications',
  settings: { NOTIFICATIONS_DESTINATIONS_PER_USER: '1000' },
  subjects: {
    [`${path}/{name}`]: { make: async ({ ask }) => (await ask('POST', path, template())).name },
    [`${path}/{name}/versions/{version}`]: { make: () => '1' },
    '/v1/notification-categories/{name}': {
      make: async ({ ask }) => {
        const name = `c_${newId().replaceAll('-', '_')}`
        await ask('PUT', `/v1/notification-categories/${name}`, category)
        return name
      },
    },
    '/v1/users/{user_id}': { make: ({ person }) => person.id },
    '/v1/users/{user_id}/destinations/{id}': { make: destination },
    '/v1/suppressions/{id}': {
      make: async ({ ask }) =>
        (await ask('POST', '/v1/suppressions', { destination: newAddress(), channel: 'email' })).id,
    },
    '/v1/unsubscribe/{token}': {
      shared: true,
      make: ({ world, person }) => {
        const links = openUnsubscribeLinks(world.platform.kernel)
        const what = { tenant_id: person.tenant.id, hash: randomBytes(32), category: 'news' }
        return links.linkFor(what).split('/').at(-1) ?? ''
      },
    },
    '/v1/inbox/{id}': {
      make: async maker => {
        const { scheduled_at: _now, ...asked } = await order(maker)
        const recipient = { user_id: maker.person.id }
        await maker.ask('POST', '/v1/notifications', { ...asked, recipient, channels: ['in_app'] })
        return (await maker.ask('GET', '/v1/inbox')).data[0].id
      },
    },
  },
  recipes: {
    'POST /v1/notifications': says(order),
    'POST /v1/notifications/explain': says(order),
    'POST /v1/notifications/batches': says(batch),
    'POST /v1/notifications/batches/{id}/resume': says(async ({ ask }, { id }) => {
      await ask('POST', `/v1/notifications/batches/${id}/pause`)
    }),
    'GET /v1/notifications/{id}/rendered': { request: () => ({ query: { channel: 'email' } }) },
    [`POST ${path}`]: says(template),
    [`POST ${path}/{name}/versions/{version}/archive`]: says(async ({ ask }, { name }) => {
      await ask('POST', `${path}/${name}/versions/1/publish`)
    }),
    [`POST ${path}/{name}/versions/{version}/preview`]: says(() => ({
      data: usual_data,
      channel: 'email',
    })),
    'PUT /v1/notification-categories/{name}': says(() => category),
    'PUT /v1/users/{user_id}/preferences': says(() => preferences),
    'POST /v1/users/{user_id}/destinations': says(() => ({
      channel: 'push',
      provider: 'fcm',
      token: newId(),
    })),
    'POST /v1/users/{user_id}/destinations/{id}/verify': says(code),
    'POST /v1/suppressions': says(() => ({ destination: newAddress(), channel: 'email' })),
  },
})
