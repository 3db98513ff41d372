/**
 * The main operation of each surface, as a client makes it. Each has a tenant of its own, in which nothing
 * else happens, so that what is lost and what was done twice can be counted.
 */
import { createHash } from 'node:crypto'
import { newId } from '#dodeca/kernel'
import { eventually, newKey } from '../world.ts'
import * as effects from './effects.ts'
import type { Effects } from './effects.ts'
import { ask, owner, reads, type Operated, type Operation, type Prepare } from './operation.ts'
import { orders, payments } from './paid-operations.ts'

/** Of all surfaces, or of those that are named. */
export async function prepareOperations(
  world: Operated,
  only?: readonly string[],
): Promise<Operation[]> {
  const all: Readonly<Record<string, Prepare>> = {
    identity: keys,
    commerce: orders,
    social: posts,
    uploads: files,
    notifications,
    chat: messages,
    inference: inferences,
    retrieval: documents,
    payments,
    links,
    jobs,
    webhooks,
  }
  const prepared: Operation[] = []
  for (const [surface, prepare] of Object.entries(all)) {
    if (!only || only.includes(surface)) prepared.push(await prepare(world))
  }
  return prepared
}

const one =
  (
    surface: string,
    path: string,
    body: () => object,
    of: (tenant_id: string) => Effects,
    named: 'id' | 'name' = 'id',
  ): Prepare =>
  async world => {
    const who = await owner(world)
    return {
      surface,
      effects: of(who.tenant.id),
      make: async insist => (await insist(who, 'POST', path, body())).body[named] as string,
    }
  }

const keys = one(
  'identity',
  '/v1/api-keys',
  () => ({ name: newKey(), permissions: ['inference.operations.create'] }),
  effects.keysOf,
  'name',
)
const inferences = one(
  'inference',
  '/v1/inferences',
  () => ({ model: 'default', input: newKey() }),
  effects.inferencesOf,
)
const jobs = one(
  'jobs',
  '/v1/jobs',
  () => ({ type: 'demo.count', parameters: { to: 2 } }),
  effects.jobsOf,
)

const posts: Prepare = async world => {
  const who = await owner(world)
  const follower = await world.member(who.tenant)
  await ask(world, follower, 'PUT', `/v1/users/me/following/${who.id}`)
  // Posts are written into the feeds of those who read them.
  await ask(world, follower, 'GET', '/v1/feed')
  return {
    surface: 'social',
    effects: effects.postsOf(who.tenant.id),
    make: async insist =>
      (await insist(who, 'POST', '/v1/posts', { body: newKey() })).body.id as string,
  }
}

const files: Prepare = async world => {
  const who = await owner(world)
  return {
    surface: 'uploads',
    effects: effects.filesOf(who.tenant.id),
    make: async insist => {
      const bytes = newKey()
      const { body } = await insist(who, 'POST', '/v1/uploads', {
        expected_size: bytes.length,
        media_category: 'any',
        purpose: 'generic',
        checksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      })
      await insist({ token: '' }, 'PUT', body.upload_url as string, bytes)
      await insist(who, 'POST', `/v1/uploads/${body.id}/complete`, {})
      return body.id as string
    },
  }
}

const notifications: Prepare = async world => {
  const who = await owner(world)
  const path = '/v1/notification-templates'
  const name = `t-${newId()}`
  const channels = { in_app: { title: 'A', body: 'B' } }
  await ask(world, who, 'POST', path, { name, default_locale: 'en', channels })
  await ask(world, who, 'POST', `${path}/${name}/versions/1/publish`, {})
  return {
    surface: 'notifications',
    effects: effects.notificationsOf(who.tenant.id),
    make: async insist => {
      const { body } = await insist(who, 'POST', '/v1/notifications', {
        category: 'order.updates',
        template: { name },
        recipient: { user_id: who.id },
        data: {},
        channels: ['in_app'],
      })
      return body.id as string
    },
  }
}

const messages: Prepare = async world => {
  const who = await owner(world)
  const other = await world.member(who.tenant)
  const group = { type: 'group', title: 'A group', member_ids: [other.id] }
  const { id } = await ask(world, who, 'POST', '/v1/conversations', group)
  const path = `/v1/conversations/${id}/messages`
  return {
    surface: 'chat',
    effects: effects.messagesOf(who.tenant.id),
    make: async insist => (await insist(who, 'POST', path, { body: newKey() })).body.id as string,
  }
}

const documents: Prepare = async world => {
  const who = await owner(world)
  const { id } = await ask(world, who, 'POST', '/v1/collections', { name: 'Documents' })
  const path = `/v1/collections/${id}/documents`
  return {
    surface: 'retrieval',
    effects: effects.documentsOf(who.tenant.id),
    make: async insist => {
      const { body } = await insist(who, 'POST', path, { text: `A text about ${newKey()}.` })
      const { document_id } = body
      await reads(insist, who, `/v1/documents/${document_id}`, one => one.state === 'ready')
      return document_id as string
    },
  }
}

/** A link is created and visited. A visit that got no reply may have been counted, or not. */
const links: Prepare = async world => {
  const who = await owner(world)
  const visits = new Map<string, number>()
  return {
    surface: 'links',
    effects: async db =>
      (await effects.linksOf(who.tenant.id)(db)).map(({ id, least, most }) => ({
        id,
        least: Math.min(least, 1),
        most: most > (visits.get(id) ?? 1) ? 2 : 1,
      })),
    make: async insist => {
      const { body } = await insist(who, 'POST', '/v1/links', {
        destination_url: 'https://www.example.com/',
      })
      const code = body.code as string
      const { attempts } = await insist({ token: '' }, 'GET', `/${code}`)
      visits.set(code, attempts)
      return code
    },
  }
}

/** The event of a link comes to the subscriber: at least once, and under one id. */
const webhooks: Prepare = async world => {
  const who = await owner(world)
  const { receiver, receiver_host } = world
  const { id } = await ask(world, who, 'POST', '/v1/webhook-subscriptions', {
    endpoint: `http://${receiver_host}:${receiver.port}/events`,
    event_filter: { types: ['link.created'] },
    api_version: '2026-01',
  })
  await eventually('the subscription is active', async () => {
    const { state } = await ask(world, who, 'GET', `/v1/webhook-subscriptions/${id}`)
    return state === 'active'
  })
  const made: string[] = []
  return {
    surface: 'webhooks',
    effects: () => {
      const came = new Map<string, Set<string>>()
      for (const one of receiver.of('/events')) {
        const { data } = JSON.parse(one.body.toString()) as { data: { code: string } }
        came.set(data.code, (came.get(data.code) ?? new Set()).add(one.id))
      }
      const known = new Set([...made, ...came.keys()])
      return Promise.resolve(
        [...known].map(code => {
          const ids = came.get(code)?.size ?? 0
          return { id: code, least: ids, most: ids }
        }),
      )
    },
    make: async insist => {
      const body = { destination_url: 'https://www.example.com/' }
      const code = (await insist(who, 'POST', '/v1/links', body)).body.code as string
      made.push(code)
      return code
    },
  }
}
