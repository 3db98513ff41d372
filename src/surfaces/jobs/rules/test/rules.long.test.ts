/**
 * Rules over several processes: a consumer that is killed between a rule's job and its commit, many
 * consumers at once, and the move of a tenant to another cell.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { killedAt } from '../../../../../test/crash.ts'
import { startProcess } from '../../../../../test/process.ts'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
} from '../../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../../test/world.ts'

let world: ProductWorld
let owner: Member
const working = () => ({ ...world.environment, ROLES: 'api,worker' })
beforeAll(async () => {
  world = await openProductWorld({ ROLES: 'api', JOBS_RULE_RUNS_PER_HOUR: '1000' })
  owner = await world.member()
  await world.allow(
    owner,
    'kernel.event_types.write',
    'kernel.events.publish:*',
    'jobs.rules.write:*',
    'webhooks.events.read:*',
  )
})
afterAll(() => world.close())

const ask = async (method: string, path: string, body: object, key?: string) => {
  const answer = await world.call(method, path, { token: owner.token, body, ...(key && { key }) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** A type of its own, and a rule that answers its events. */
async function ruled(name: string): Promise<{ type: string; id: string }> {
  const type = `deal_${newId().slice(-12)}.won`
  const declared = { description: 'A deal was won.', schema: { type: 'object' } }
  await ask('PUT', `/v1/event-types/${type}`, declared)
  const job = { type: 'demo.count', parameters: { to: 1 } }
  const { id } = await ask('PUT', `/v1/job-rules/${name}`, { event: type, job })
  return { type, id }
}

const publish = (type: string, many: number, more: object = {}) =>
  ask(
    'POST',
    '/v1/events',
    { events: Array.from({ length: many }, () => ({ type, data: {}, ...more })) },
    newKey(),
  )

const Keys = Type.Object({ key: Type.String() })

const keysOf = async (rule_id: string) => {
  const rows = await world.platform.kernel.db.many(
    Keys,
    sql`
      select idempotency_key as key from jobs.jobs
      where tenant_id = ${owner.tenant.id} and starts_with(idempotency_key, ${`rule:${rule_id}:`})
      order by 1`,
  )
  return rows.map(row => row.key)
}

test('killed between the job and the commit: each event makes one job', async () => {
  const { type, id } = await ruled('killed')
  // Of one aggregate, so that one lane has them all.
  const { event_ids } = await publish(type, 3, { aggregate_id: newId() })
  await killedAt({ environment: working() }, 'jobs.after_rules', async () => {}, 1, 'product')
  expect(await keysOf(id)).toEqual([])
  const mended = await startProcess(working(), 'product')
  try {
    await eventually('all have their job', async () => (await keysOf(id)).length === 3)
    const expected = event_ids.map((one: string) => `rule:${id}:${one}`).sort()
    expect(await keysOf(id)).toEqual(expected)
    const { token } = owner
    const shown = await world.call('GET', '/v1/job-rules/killed', { token })
    expect(shown.body.runs).toBe(3)
  } finally {
    await mended.kill()
  }
})

test('three processes consume: each event makes one job, and the count of the hour is exact', async () => {
  const { type, id } = await ruled('many')
  const others = await Promise.all([1, 2, 3].map(() => startProcess(working(), 'product')))
  try {
    await Promise.all(Array.from({ length: 12 }, () => publish(type, 25)))
    await eventually('all have their job', async () => (await keysOf(id)).length >= 300)
    const keys = await keysOf(id)
    expect(new Set(keys).size).toBe(300)
    const counted = await eventually('all are counted', async () => {
      const row = await world.platform.kernel.db.one(
        Type.Object({ runs: Type.Integer(), runs_in_hour: Type.Integer() }),
        sql`
          select runs, runs_in_hour from jobs.job_rules
          where tenant_id = ${owner.tenant.id} and id = ${id}`,
      )
      return row.runs === 300 && row
    })
    expect(counted.runs_in_hour).toBe(300)
  } finally {
    await Promise.all(others.map(one => one.kill()))
  }
})

test('in another cell positions begin again: a rule that came there sees all events', async () => {
  const { type, id } = await ruled('moved')
  // As the row arrives with the archive of a tenant, from a cell whose log is far longer.
  await world.platform.kernel.db.run(sql`
    update jobs.job_rules set from_cell = ${newId()}, from_position = 1000000000000
    where tenant_id = ${owner.tenant.id} and id = ${id}`)
  await publish(type, 1)
  const other = await startProcess(working(), 'product')
  try {
    const keys = await eventually('it has its job', async () => {
      const found = await keysOf(id)
      return found.length > 0 && found
    })
    expect(keys).toHaveLength(1)
  } finally {
    await other.kill()
  }
})
