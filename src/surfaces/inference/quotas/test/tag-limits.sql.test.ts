/** The limit of a tag: as many as have room, no run missed while it changes; and tags without use. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { retain } from '../../../../kernel/work/retention.ts'
import type { Deps } from '../../deps.ts'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'
import { limitsArgument } from '../limits.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    INFERENCE_TAGS: '12',
    INFERENCE_QUOTA_TENANT_OPERATIONS: '100000',
    INFERENCE_QUOTA_TENANT_REQUESTS_PER_MINUTE: '100000',
    INFERENCE_QUOTA_PRINCIPAL_OPERATIONS: '100000',
    INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '100000',
    KERNEL_DATABASE_WAIT_MS: '60000',
  })
})
afterAll(() => world.close())

async function administrator(): Promise<Someone> {
  const one = await world.someone()
  await world.allow(one, 'inference.quotas.write')
  return one
}

const unending = new AbortController().signal

const Counter = Type.Object({
  tokens: Type.Number(),
  reserved: Type.Number(),
  cost: Type.Number(),
})
const counters = (one: Someone, tag: string) =>
  world.platform.kernel.db.maybe(
    Counter,
    sql`
      select day_used::float8 as tokens, day_reserved::float8 as reserved, cost_used::float8 as cost
      from inference.quota_counters
      where tenant_id = ${one.tenant.id} and scope_type = 'tag' and scope_id = ${tag}`,
  )

/** Operations as a call writes them, for reservations straight in the database. */
async function operations(one: Someone, tags: string[], calls: number): Promise<string[]> {
  const like = await one.infer('Hi.')
  const ids = Array.from({ length: calls }, () => newId())
  await world.platform.kernel.db.run(sql`
    insert into inference.inference_operations (tenant_id, id, actor_id, model, first_deployment_id,
      model_deployment_id, deployment_tenant_id, workload, state, prompt_version, tags,
      estimated_input, max_output, deadline_at)
    select o.tenant_id, made.id, o.actor_id, o.model, o.first_deployment_id, o.model_deployment_id,
      o.deployment_tenant_id, o.workload, 'running', o.prompt_version, ${tags}::text[], 6, 4, now()
    from inference.inference_operations o, unnest(${ids}::uuid[]) made (id)
    where o.tenant_id = ${one.tenant.id} and o.id = ${like.body.id}`)
  return ids
}

const Missed = Type.Object({ missed: Type.String(), scope: Type.String() })

class Refused extends Error {
  readonly by: unknown
  constructor(by: unknown) {
    super('refused')
    this.by = by
  }
}

/** Takes ten tokens. What is missed, if there is no room: then nothing is committed. */
async function reserve(one: Someone, id: string, kind: 'call' | 'job'): Promise<unknown> {
  const kernel = world.platform.kernel as unknown as Deps['kernel']
  try {
    await kernel.db.tx(async tx => {
      const missed = await tx.maybe(
        Missed,
        sql`
          select r.missed, r.scope from inference.inference_operations o,
            inference.reserve(o.tenant_id, o.actor_id, o.id, 1, ${kind},
              ${limitsArgument(kernel)}::jsonb, o.deployment_tenant_id, o.model_deployment_id, 6, 4,
              1, true, ${newId()}, 600, 1, ${newId()}) r
          where o.tenant_id = ${one.tenant.id} and o.id = ${id}`,
      )
      if (missed) throw new Refused(missed)
    })
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.by
    throw error
  }
}

const settle = (one: Someone, id: string) =>
  world.platform.kernel.db.tx(tx =>
    tx.many(
      Type.Object({ output_units: Type.Integer() }),
      sql`
        select output_units from inference.settle(${one.tenant.id}, ${id}, 1, 'succeeded', 6, 0, 4,
          'provider', 'a model', null, 5)`,
    ),
  )

test('admit exactly as many of 1,000 calls as have room in the limit of their tag', async () => {
  const one = await administrator()
  const room = 57
  await one.ask('PUT', '/v1/quotas/tag/a', { tokens_per_day: room * 10 + 9 })
  const calls = await operations(one, ['a', 'b'], 600)
  const jobs = await operations(one, ['a'], 400)
  const mixed = [...calls, ...jobs].map((id, at) => ({ id, at: (at * 7919) % 1000 }))
  const isJob = new Set(jobs)
  const answers = await Promise.all(
    mixed
      .toSorted((a, b) => a.at - b.at)
      .map(async ({ id }) => ({
        id,
        missed: await reserve(one, id, isJob.has(id) ? 'job' : 'call'),
      })),
  )
  const admitted = answers.filter(answer => answer.missed === undefined)
  expect(admitted).toHaveLength(room)
  const refused = answers.find(answer => answer.missed !== undefined)
  expect(refused?.missed).toEqual({ missed: 'tokens_per_day', scope: 'tag' })
  expect(await counters(one, 'a')).toMatchObject({ tokens: 0, reserved: room * 10 })
  expect(await world.faults()).toEqual([])
  await Promise.all(admitted.map(({ id }) => settle(one, id)))
  expect(await counters(one, 'a')).toMatchObject({ tokens: room * 10, reserved: 0 })
  expect(await world.faults()).toEqual([])
})

test('count every run although the limits of a tag change while calls begin and end', async () => {
  const one = await administrator()
  const calls = await operations(one, ['a'], 200)
  const path = '/v1/quotas/tag/a'
  const changes = (async () => {
    for (let turn = 0; turn < 12; turn++) {
      const limits =
        turn % 2 ? { tokens_per_day: 100_000, tokens_per_minute: 100_000 } : { cost_per_day: 9 }
      const changed = await (turn % 5 === 4
        ? one.ask('DELETE', path)
        : one.ask('PUT', path, limits))
      expect(changed.status).toBeLessThan(300)
    }
  })()
  const runs = Array.from({ length: 8 }, async (_, at) => {
    for (const id of calls.filter((_id, place) => place % 8 === at)) {
      expect(await reserve(one, id, at % 2 ? 'job' : 'call')).toBeUndefined()
      if (at % 4 < 3) await settle(one, id)
    }
  })
  await Promise.all([changes, ...runs])
  expect(await world.faults()).toEqual([])
  await one.ask('PUT', path, { tokens_per_day: 100_000 })
  expect(await counters(one, 'a')).toMatchObject({ tokens: 1500, reserved: 500 })
})

test('a call that waited at midnight counts in the day that has begun', async () => {
  const one = await administrator()
  const [first = '', second = ''] = await operations(one, [], 2)
  expect(await reserve(one, first, 'call')).toBeUndefined()
  const { db } = world.platform.kernel
  // As if a transaction that began after midnight had locked the counters before this one.
  await db.run(sql`
    update inference.quota_counters
    set day_start = day_start + interval '1 day', minute_start = minute_start + interval '1 minute',
      day_used = 7, day_reserved = 0, cost_used = 0, cost_reserved = 0, minute_reserved = 0
    where tenant_id = ${one.tenant.id} and scope_type = 'tenant'`)
  expect(await reserve(one, second, 'call')).toBeUndefined()
  const Day = Type.Object({ used: Type.Number(), reserved: Type.Number(), held: Type.Boolean() })
  const today = await db.one(
    Day,
    sql`
      select c.day_used::float8 as used, c.day_reserved::float8 as reserved,
        r.day_start = c.day_start as held
      from inference.quota_counters c, inference.quota_reservations r
      where c.tenant_id = ${one.tenant.id} and c.scope_type = 'tenant'
        and r.tenant_id = c.tenant_id and r.operation_id = ${second}`,
  )
  expect(today).toEqual({ used: 7, reserved: 10, held: true })
  // What began yesterday ends there.
  await settle(one, first)
  await settle(one, second)
  const after = await db.one(
    Day,
    sql`
      select day_used::float8 as used, day_reserved::float8 as reserved, operations > 0 as held
      from inference.quota_counters
      where tenant_id = ${one.tenant.id} and scope_type = 'tenant'`,
  )
  expect(after).toEqual({ used: 17, reserved: 0, held: false })
})

test('a budget may be a part of a unit of the currency', async () => {
  const one = await administrator()
  const path = '/v1/quotas/tag/cheap'
  const put = await one.ask('PUT', path, { cost_per_day: 0.0005 })
  expect([put.status, put.body.limits], put.text).toEqual([200, { cost_per_day: 0.0005 }])
  const asked = { tags: ['cheap'], parameters: { max_output_tokens: 20 } }
  const statuses: number[] = []
  for (let calls = 0; calls < 20 && !statuses.includes(429); calls++) {
    statuses.push((await one.infer('Hi.', asked)).status)
  }
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  const refused = await one.infer('Hi.', asked)
  expect(refused.body.quota).toMatchObject({ metric: 'cost', scope: 'tag', limit: '0.0005' })
  expect((await counters(one, 'cheap'))?.cost).toBeLessThanOrEqual(0.0005)
  expect((await one.ask('PUT', path, { tokens_per_day: 0.5 })).status).toBe(422)
})

test('tags without use for weeks make room, but for those with a limit or of a principal', async () => {
  const one = await administrator()
  const { db, log } = world.platform.kernel
  const call = (tag: string) => one.infer('Hi.', { tags: [tag] })
  await one.ask('PUT', `/v1/quotas/principal/${one.id}`, { tags: ['team:red'] })
  await one.ask('PUT', '/v1/quotas/tag/limited', { tokens_per_day: 100_000 })
  for (let at = 0; at < 10; at++) expect((await call(`old-${at}`)).status).toBe(200)
  expect(code(await call('new-0'))).toEqual([422, 'too_many_tags'])
  await db.run(sql`
    update inference.tags set used_at = used_at - interval '34 days'
    where tenant_id = ${one.tenant.id}`)
  const purge = () =>
    retain({ db, log }, world.platform.opened['inference']?.retention ?? [], unending)
  await purge()
  expect(code(await call('new-0'))).toEqual([422, 'too_many_tags'])
  await db.run(sql`
    update inference.tags set used_at = used_at - interval '2 days'
    where tenant_id = ${one.tenant.id} and tag <> 'old-9'`)
  await purge()
  const known = await db.many(
    Type.Object({ tag: Type.String() }),
    sql`select tag from inference.tags where tenant_id = ${one.tenant.id} order by tag`,
  )
  expect(known.map(({ tag }) => tag)).toEqual(['limited', 'old-9', 'team:red'])
  for (let at = 0; at < 9; at++) expect((await call(`new-${at}`)).status).toBe(200)
  expect(code(await call('new-9'))).toEqual([422, 'too_many_tags'])
})

test('tags are noted once a day, however many calls have them', async () => {
  const one = await administrator()
  const { db } = world.platform.kernel
  const used = async () => {
    const [row] = await db.many(
      Type.Object({ days: Type.Integer() }),
      sql`
        select extract(day from kernel.now() - used_at)::int as days from inference.tags
        where tenant_id = ${one.tenant.id} and tag = 'often'`,
    )
    return row?.days
  }
  await db.run(sql`
    insert into inference.tags (tenant_id, tag, used_at)
    values (${one.tenant.id}, 'often', kernel.now() - interval '30 days')`)
  expect(await used()).toBe(30)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => one.infer('Hi.', { tags: ['often'] })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await used()).toBe(0)
})
