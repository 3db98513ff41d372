/**
 * Senders that are killed or stopped during their work: nothing is lost, nothing is stuck, and a
 * late sender changes nothing.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { startProcess } from '../../../../test/process.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround } from './ground.ts'
import { fine, openReceiver } from './receiver.ts'

const timeouts = 'dns:500,connect:500,tls:500,write:500,first_byte:1500,body:500,total:2000'
// The platform of the test answers requests; others do the work, and are killed.
const ground = await openGround({
  ROLES: 'api',
  WEBHOOKS_LEASE_SECONDS: '4',
  WEBHOOKS_TIMEOUTS: timeouts,
})
afterAll(() => ground.close())
const worker = (faults = '') =>
  startProcess(
    { ...ground.environment, ROLES: 'worker', ...(faults ? { KERNEL_FAULTS: faults } : {}) },
    'product',
  )

describe('a sender', () => {
  test('killed between the answer and the commit sends again; the loss is on record', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const event_filter = { types: ['account.verified'] }
    const victim = await worker('webhooks.before_finish=kill')
    const made = await ground.subscribe(owner, at(receiver), { event_filter })
    const [event_id] = await ground.emit(owner)
    expect(await victim.gone).toEqual({ code: null, signal: 'SIGKILL' })
    const [held] = await ground.deliveries(made.id)
    expect(held).toMatchObject({ state: 'pending', attempt_count: 0 })
    expect(receiver.received).toHaveLength(1)
    // No process can send; and a release changes what the event says of itself.
    const [unheard] = await ground.emit(owner)
    await ground.platform.kernel.db.tx(async tx => {
      await tx.run(sql`alter table kernel.events disable trigger append_only`)
      await tx.run(sql`
        update kernel.events set schema_version = schema_version + 1, payload = '{"other": 1}'
        where tenant_id = ${owner.tenant.id} and id = ${event_id}`)
      await tx.run(sql`alter table kernel.events enable trigger append_only`)
    })
    const heir = await worker()
    await eventually('both are delivered', async () => {
      return (await ground.states(made.id))['delivered'] === 2
    })
    expect(receiver.received.map(one => one.id)).toContain(unheard)
    const [first, second] = receiver.received.filter(one => one.id !== unheard)
    expect([first?.id, second?.id]).toEqual([event_id, event_id])
    expect(second?.body).toEqual(first?.body)
    expect(await ground.attempts(held?.id ?? '')).toMatchObject([
      { attempt_no: 1, error_code: 'lease_lost', http_status: null },
      { attempt_no: 2, error_code: null, http_status: 204 },
    ])
    await heir.kill()
    await receiver.close()
  })

  test('killed under load loses nothing and leaves nothing stuck', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const event_filter = { types: ['account.verified'] }
    let victim = await worker()
    const subscriptions = await Promise.all(
      ['/a', '/b', '/c', '/d'].map(path =>
        ground.subscribe(owner, at(receiver, path), { event_filter, max_in_flight: 32 }),
      ),
    )
    const events: string[] = []
    for (let round = 1; round <= 3; round++) {
      events.push(...(await ground.emit(owner, 300)))
      const before = receiver.received.length
      await eventually('some are sent', () => receiver.received.length > before + 100)
      await victim.kill()
      victim = await worker()
    }
    for (const { id } of subscriptions) {
      await eventually('all are delivered', async () => {
        return (await ground.states(id))['delivered'] === events.length
      })
    }
    for (const path of ['/a', '/b', '/c', '/d']) {
      expect(new Set(receiver.of(path).map(one => one.id))).toEqual(new Set(events))
    }
    await victim.kill()
    await receiver.close()
  })

  test('that stood still while another took over changes nothing when it goes on', async () => {
    const receiver = await openReceiver()
    const owner = await ground.owner()
    const event_filter = { types: ['account.verified'] }
    const sleeper = await worker()
    const made = await ground.subscribe(owner, at(receiver), { event_filter })
    const answers: (() => void)[] = []
    receiver.answer((response, one) => void answers.push(() => fine(response, one)))
    await ground.emit(owner)
    await eventually('it is sent', () => receiver.received.length === 1)
    sleeper.child.kill('SIGSTOP')
    answers.shift()?.()
    const other = await worker()
    await eventually('another sends it', () => receiver.received.length === 2)
    answers.shift()?.()
    const done = await eventually('it is delivered', async () => {
      const [one] = await ground.deliveries(made.id)
      return one?.state === 'delivered' && one
    })
    const before = await ground.attempts(done.id)
    sleeper.child.kill('SIGCONT')
    // It has seen that its shards are another's once it holds none, or only those that are free.
    await eventually('both share the work', async () => {
      const rows = await ground.platform.kernel.db.many(
        Type.Object({ owner: Type.String() }),
        sql`select distinct owner from webhooks.sender_shards where owner is not null`,
      )
      return rows.length === 2
    })
    receiver.answer(fine)
    const [event_id] = await ground.emit(owner)
    await eventually('a next one is delivered once', async () => {
      return (await ground.states(made.id))['delivered'] === 2
    })
    expect(await ground.attempts(done.id)).toEqual(before)
    expect(before.map(one => one.error_code)).toEqual(['lease_lost', null])
    expect(receiver.received.filter(one => one.id === event_id)).toHaveLength(1)
    await Promise.all([sleeper.kill(), other.kill()])
    await receiver.close()
  })
})

const Made = Type.Object({ made: Type.Integer() })

describe('a wide fan-out', () => {
  test('killed in the middle continues where it was', async () => {
    const owner = await ground.owner()
    const { db } = ground.platform.kernel
    const many = 10_000
    await db.run(sql`
      insert into webhooks.subscriptions (tenant_id, id, endpoint, event_filter, readable, owner_id, state,
        api_version, max_in_flight, secret_version, secret_ciphertext, verification_mode, paused_at)
      select ${owner.tenant.id}, gen_random_uuid(), 'http://127.0.0.1:9/', '{account.verified}',
        '{*}', ${owner.id}, 'paused', '2026-01', 8, 1, '', 'manual', kernel.now()
      from generate_series(1, ${many})`)
    const victim = await worker('webhooks.fan_out_portion=kill@2')
    const aggregate = { id: owner.id, first: 1 }
    const [event_id] = await ground.emit(owner, 2, aggregate)
    await victim.gone
    const count = async (id = event_id) => {
      const { made } = await db.one(
        Made,
        sql`
          select count(*)::int as made from webhooks.deliveries
          where event_id = ${id} and tenant_id = ${owner.tenant.id}`,
      )
      return made
    }
    expect(await count()).toBe(4000)
    const heir = await worker()
    await eventually('it has all of them', async () => (await count()) === many)
    const left = async () =>
      (await db.one(Made, sql`select count(*)::int as made from webhooks.fanouts`)).made
    await eventually('the one behind it too', async () => (await left()) === 0)
    await heir.kill()
  })
})
