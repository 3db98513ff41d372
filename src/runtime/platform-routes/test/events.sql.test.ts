/** What operators see and decide, through the very values that are mounted. */
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { newId, sql, type Reply } from '#dodeca/kernel'
import type { AnyContext } from '../../../kernel/http/contract/route.ts'
import { eventRoutes } from '../events.ts'
import {
  changed,
  count,
  emit,
  eventually,
  openWorld,
  tenant_id,
  type World,
} from '../../../kernel/events/test/process.ts'

let ground: Clone
let world: World
let sick = true
beforeAll(async () => {
  ground = await cloneDatabase()
  world = openWorld({
    url: ground.url,
    park_schedule: [],
    consumers: [
      {
        name: 'fussy',
        events: ['thing.changed'],
        run: () => (sick ? Promise.reject(new Error('sick')) : Promise.resolve()),
      },
    ],
  })
  await world.events.start()
})
afterAll(async () => {
  await world.stop()
  await ground.drop()
})

const principal = {
  id: newId(),
  tenant_id,
  kind: 'account' as const,
  session_id: null,
  aal: 'aal2' as const,
  auth_time: 0,
}

/** The tests of lists over HTTP have real ones. */
const noCursors = {
  start: () => ({ after: null, limit: 20, fetch: 21 }),
  page: <T>(_scope: unknown, rows: readonly T[]) => ({
    body: { data: [...rows], next_cursor: null, has_more: false },
    headers: {},
  }),
}

async function call(method: string, path: string, given: Partial<AnyContext> = {}): Promise<Reply> {
  const { interests, wake } = world.events
  const routes = eventRoutes({ cursors: noCursors, interests, wake })
  const found = routes.find(one => one.method === method && one.path === path)
  if (!found?.handle) throw new Error(`no route ${method} ${path}`)
  expect(found).toMatchObject({ permission: 'kernel.events.operate', added: true })
  const handle = found.handle
  const context = { principal, params: {}, query: {}, body: undefined, ...given } as AnyContext
  const reply = await world.db.tx(async tx => handle({ ...context, tx }))
  const schema = found.replies[reply.status]
  if (!schema) throw new Error(`${reply.status} is not declared`)
  expect([...Value.Errors(schema, reply.body)]).toEqual([])
  return reply
}

type ListBody = { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null }

test('a dead park is listed, retried, and audited; the list of consumers counts it', async () => {
  const id = newId()
  await emit(world.db, changed(id, 1), changed(id, 2))
  const park = await eventually(async () => {
    const { body } = await call('GET', '/v1/event-parks', { query: { state: 'dead' } })
    return (body as ListBody).data[0]
  })
  expect(park).toMatchObject({ consumer: 'fussy', aggregate_id: id, attempts: 1, state: 'dead' })
  // What comes after in the same aggregate is put behind it, maybe in a commit of its own.
  const consumers = await eventually(async () => {
    const { body } = await call('GET', '/v1/event-consumers')
    const { data } = body as ListBody
    return data[0]?.['position'] === 2 && data
  })
  expect(consumers).toMatchObject([{ consumer: 'fussy', parked: 1 }])
  sick = false
  const decision = { params: { id: String(park['id']) }, body: { reason: 'mended' } }
  const reply = await call('POST', '/v1/event-parks/{id}/retry', decision)
  expect(reply).toMatchObject({ status: 200, body: { state: 'waiting' } })
  await eventually(async () => {
    const list = await call('GET', '/v1/event-parks', { query: { state: 'resolved' } })
    return (list.body as ListBody).data.length === 1
  })
  await eventually(async () => (await count(world.db, sql`from kernel.inbox_events`)) === 2)
  for (const act of ['retry', 'skip']) {
    await expect(call('POST', `/v1/event-parks/{id}/${act}`, decision)).rejects.toMatchObject({
      code: 'invalid_transition',
    })
  }
  expect(
    await count(
      world.db,
      sql`from kernel.audit_events
      where actor = ${principal.id} and action = 'kernel.event_parks.retry' and reason = 'mended'`,
    ),
  ).toBe(1)
  await world.events.measure()
})
