/** Publishing over several processes: killed around the commit, and a type declared on another one. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { killedAt } from '../../../../test/crash.ts'
import { startProcess } from '../../../../test/process.ts'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { call, eventually, newKey, type Ask } from '../../../../test/world.ts'

let world: ProductWorld
let owner: Member
beforeAll(async () => {
  world = await openProductWorld({})
  owner = await world.member()
  await world.give(owner, 'tenant_admin')
  await world.allow(owner, 'kernel.event_types.write')
})
afterAll(() => world.close())

const ask = (url: string, method: string, path: string, body: unknown, more: Ask = {}) =>
  call(url, method, path, { token: owner.token, body, ...more })

async function declared(url: string): Promise<string> {
  const type = `deal_${newId().slice(-12)}.won`
  const body = { description: 'A deal was won.', schema: { required: ['deal_id'] } }
  const made = await ask(url, 'PUT', `/v1/event-types/${type}`, body)
  expect(made.status, made.text).toBe(201)
  return type
}

const logged = (type: string) =>
  world.platform.kernel.db.many(
    Type.Object({ id: Type.String(), position: Type.Integer() }),
    sql`
      select id, position from kernel.events
      where tenant_id = ${owner.tenant.id} and type = ${type} order by position`,
  )

test.each(['kernel.before_commit', 'kernel.after_commit'])(
  'killed at %s: a retry with the key finds both events once',
  async point => {
    const type = await declared(world.url)
    const aggregate_id = newId()
    const one = { type, aggregate_id, aggregate_version: 5, data: { deal_id: newId() } }
    const events = [one, { ...one, aggregate_version: 6 }]
    const key = newKey()
    const publish = (url: string) => ask(url, 'POST', '/v1/events', { events }, { key })
    await killedAt(world, point, publish, 1, 'product')
    const done = await eventually('the retry is answered', async () => {
      const answer = await publish(world.url)
      return answer.status === 201 && answer
    })
    const rows = await eventually('both are in the log', async () => {
      const found = await logged(type)
      return found.length >= 2 && found
    })
    expect(rows.map(row => row.id)).toEqual(done.body.event_ids)
    const again = await ask(world.url, 'POST', '/v1/events', { events }, { key: newKey() })
    expect([again.status, again.body.code]).toEqual([409, 'aggregate_version_stale'])
  },
)

/** Whichever process has the lanes: the consumer gets past the events. */
const past = (type: string, last: number) =>
  eventually('the consumer is past them', async () => {
    const { behind } = await world.platform.kernel.db.one(
      Type.Object({ behind: Type.Integer() }),
      sql`
        select count(*)::int as behind from kernel.event_consumers c
        join kernel.events e on e.lane = c.lane
        where c.consumer = 'webhooks.fan_out' and e.type = ${type} and e.position <= ${last}
          and c.position < e.position`,
    )
    return behind === 0
  })

test('a type declared on one process is known on the other: to publish, subscribe, consume', async () => {
  const other = await startProcess({ ...world.environment, ROLES: 'api,worker' }, 'product')
  try {
    for (const [here, there] of [
      [world.url, other.url],
      [other.url, world.url],
    ] as const) {
      const type = await declared(here)
      const filter = { types: [type] }
      const body = {
        endpoint: 'https://example.com/hook',
        event_filter: filter,
        api_version: '2026-01',
      }
      const made = await ask(there, 'POST', '/v1/webhook-subscriptions', body)
      expect(made.status, made.text).toBe(201)
      const event = { type, data: { deal_id: newId() } }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          ask(n % 2 ? here : there, 'POST', '/v1/events', { events: [event] }, { key: newKey() }),
        ),
      )
      expect(answers.map(one => one.status)).toEqual(Array.from({ length: 20 }, () => 201))
      const last = await eventually('all are in the log', async () => {
        const found = await logged(type)
        return found.length === 20 && found.at(-1)?.position
      })
      await past(type, last)
    }
    const parked = await world.platform.kernel.db.many(
      Type.Object({ id: Type.String() }),
      sql`select id from kernel.event_parks`,
    )
    expect(parked).toEqual([])
  } finally {
    await other.kill()
  }
})

test('the job kernel.publish publishes once, and only what its owner may publish then', async () => {
  const type = await declared(world.url)
  const submit = async (types: readonly string[]) => {
    const events = types.map(one => ({ type: one, data: { deal_id: newId() } }))
    const body = { type: 'kernel.publish', parameters: { events } }
    const made = await ask(world.url, 'POST', '/v1/jobs', body, { key: newKey() })
    expect(made.status, made.text).toBe(202)
    return await eventually('the job has ended', async () => {
      const { body: job } = await call(world.url, 'GET', `/v1/jobs/${made.body.id}`, {
        token: owner.token,
      })
      return ['succeeded', 'failed'].includes(job.state) && job
    })
  }
  expect(await submit([type])).toMatchObject({ state: 'succeeded' })
  expect(await submit([type, 'never.declared'])).toMatchObject({
    state: 'failed',
    error: { code: 'event_type_unknown' },
  })
  // The job itself may be submitted; the right to publish is another one.
  const who = { tenant: owner.tenant.slug, account: owner.id }
  await world.identity.administration.revoke(who, 'tenant_admin', 'test')
  await world.allow(owner, 'jobs.jobs.submit:*', 'jobs.jobs.read:*')
  expect(await submit([type])).toMatchObject({ state: 'failed', error: { code: 'owner_revoked' } })
  await eventually('one event is in the log', async () => (await logged(type)).length === 1)
})
