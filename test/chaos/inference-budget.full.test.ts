/**
 * A budget that suffices for 57 calls, 1,000 calls at three processes, and one process that is killed
 * while it runs 20 of them: exactly 57 are charged, and what the dead process held is settled.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import {
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../src/surfaces/inference/test/inference-world.ts'
import { startProcess } from '../process.ts'
import { call, eventually, newKey, type Answer } from '../world.ts'

const room = 57
const calls = 1000
const held_by_dead = 20
/** With a socket for each call, some would not be accepted while a busy machine is slow. */
const at_once = 240
const path = '/v1/inferences'

let world: InferenceWorld
beforeAll(async () => {
  const wide = '100000000'
  world = await openInferenceWorld({
    INFERENCE_LEASE_SECONDS: '3',
    // What the process holds ends only with it.
    INFERENCE_ATTEMPT_TIMEOUT_MS: '600000',
    INFERENCE_STREAM_FIRST_EVENT_MS: '600000',
    INFERENCE_DEADLINE_MS: '600000',
    INFERENCE_DEPLOYMENT_CONCURRENCY: '1000',
    INFERENCE_QUOTA_TENANT_OPERATIONS: wide,
    INFERENCE_QUOTA_TENANT_REQUESTS_PER_MINUTE: wide,
    INFERENCE_QUOTA_TENANT_TOKENS_PER_MINUTE: wide,
    INFERENCE_QUOTA_TENANT_COST_PER_DAY: wide,
    INFERENCE_QUOTA_PRINCIPAL_OPERATIONS: wide,
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_MINUTE: wide,
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_DAY: wide,
    INFERENCE_QUOTA_PRINCIPAL_COST_PER_DAY: wide,
    KERNEL_DATABASE_WAIT_MS: '60000',
  })
})
afterAll(() => world.close())

const Row = Type.Object({ charged: Type.Integer(), units: Type.Integer() })
const chargedTo = (tenant_id: string) =>
  world.platform.kernel.db.one(
    Row,
    sql`
      select count(*) filter (where input_tokens > 0)::int as charged,
        coalesce(sum(input_tokens + output_tokens), 0)::int as units
      from inference.generation_usage where tenant_id = ${tenant_id}`,
  )

const Counter = Type.Object({ used: Type.Integer(), reserved: Type.Integer() })
const counterOf = (tenant_id: string) =>
  world.platform.kernel.db.one(
    Counter,
    sql`
      select day_used::int as used, day_reserved::int as reserved from inference.quota_counters
      where tenant_id = ${tenant_id} and scope_type = 'tenant'`,
  )

const heldWith = async (tenant_id: string, tag: string) => {
  const { held } = await world.platform.kernel.db.one(
    Type.Object({ held: Type.Integer() }),
    sql`
      select count(*)::int as held from inference.quota_reservations
      where tenant_id = ${tenant_id} and state = 'held' and ${tag} = any(tags)`,
  )
  return held
}

type Asked = { readonly one: Someone; readonly key: string; readonly body: object }

/** A client: it goes on with its key, at a process that lives, until the call is decided. */
async function decided(urls: readonly string[], at: number, asked: Asked): Promise<Answer> {
  const { one, key, body } = asked
  const deadline = performance.now() + 300_000
  for (let turn = at; performance.now() < deadline; turn++) {
    const url = urls[turn % urls.length] ?? ''
    const answer = await call(url, 'POST', path, { token: one.token, key, body }).catch(() => null)
    const again = answer?.status === 409 || (answer?.status ?? 503) >= 500
    if (answer && !again) return answer
    await pause(1000 * Number(answer?.headers.get('retry-after') ?? 0.1))
  }
  throw new Error('a call was not decided')
}

/** The budget of the tenant has room for so many calls, whatever single calls leave of theirs. */
async function limitTo(one: Someone, body: object): Promise<number> {
  const first = await one.ask('POST', path, body, { key: newKey() })
  expect(first.status, first.text).toBe(200)
  const { db } = world.platform.kernel
  const { reserved } = await db.one(
    Type.Object({ reserved: Type.Integer() }),
    sql`
      select input_units + output_units as reserved from inference.quota_reservations
      where tenant_id = ${one.tenant.id}`,
  )
  const { used } = await counterOf(one.tenant.id)
  expect(reserved).toBeGreaterThanOrEqual(used)
  expect(room * (reserved - used)).toBeLessThan(reserved)
  const most = used + room * reserved
  await db.run(sql`
    insert into inference.quota_limits (tenant_id, scope_type, scope_id, limits)
    values (${one.tenant.id}, 'tenant', ${one.tenant.id},
      ${sql.json({ tokens_per_day: most })}::jsonb)`)
  return most
}

test(`of ${calls} calls at 3 processes, of which one is killed, ${room} are charged`, async () => {
  const first = await world.someone()
  const { id: tenant_id } = first.tenant
  const others = Array.from({ length: 19 }, () => world.someone(first.tenant))
  const people = [first, ...(await Promise.all(others))]
  // All calls need the same.
  const body = {
    model: 'default',
    input: `Say ${tenant_id}.${' word'.repeat(3000)}`,
    parameters: { max_output_tokens: 2 },
  }
  const most = await limitTo(first, body)
  const match = { prompt_contains: tenant_id }
  await world.fault({ action: 'slow', ttft_ms: 600_000, match, times: held_by_dead })

  const start = () => startProcess(world.environment, 'product')
  const [dying, ...living] = [await start(), await start(), await start()]
  try {
    const urls = living.map(one => one.url)
    const asked = Array.from({ length: calls }, (_, at): Asked => {
      const one = people[at % people.length] ?? first
      return { one, key: newKey(), body: at < held_by_dead ? { ...body, tags: ['dying'] } : body }
    })
    const early = asked.slice(0, held_by_dead).map(async (one, at) => {
      return await decided([dying.url, ...urls], at * 3, one)
    })
    await eventually('the process holds its calls', async () => {
      const sent = await world.journal()
      const slow = sent.filter(({ fault }: { fault: unknown }) => fault === 'slow')
      return slow.length === held_by_dead && (await heldWith(tenant_id, 'dying')) === held_by_dead
    })

    const answers: Answer[] = []
    const rest = asked.slice(held_by_dead).entries()
    const clients = Array.from({ length: at_once }, async () => {
      for (const [at, one] of rest) answers.push(await decided([dying.url, ...urls], at, one))
    })
    await eventually('calls are answered', () => answers.some(({ status }) => status === 200))
    await dying.kill()
    await Promise.all(clients)
    answers.push(...(await Promise.all(early)))
    expect(answers).toHaveLength(calls)
    const codes = new Set(answers.map(({ status, body }) => (status === 200 ? 200 : body?.code)))
    expect(codes).toEqual(new Set([200, 'quota_exceeded']))
    await eventually('nothing is held', async () => (await world.held(tenant_id)) === 0)
    // What was reserved and never sent is free again.
    for (let status = 200; status === 200;) {
      ;({ status } = await decided(urls, 0, { one: first, key: newKey(), body }))
    }

    const { charged, units } = await chargedTo(tenant_id)
    // And the call that measured what one needs.
    expect(charged).toBe(room + 1)
    expect(await counterOf(tenant_id)).toEqual({ used: units, reserved: 0 })
    expect(units).toBeLessThanOrEqual(most)
    const usage = await Promise.all(
      answers.filter(({ status }) => status === 200).map(({ body }) => world.usage(body.id)),
    )
    expect(usage.every(runs => runs.at(-1)?.status === 'succeeded')).toBe(true)
    expect(await world.faults()).toEqual([])
  } finally {
    await Promise.all([dying, ...living].map(one => one.kill()))
  }
})
