/**
 * Senders are killed again and again while events for a thousand endpoints are committed, and while some
 * of these are paused or deleted. Afterwards every endpoint was sent every event of its tenant that was
 * committed, always under the same id with the same bytes; nothing is stuck; and an endpoint that was
 * paused or deleted was left alone from the end of what was under way.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { at, openGround, type Ground } from '../../src/surfaces/webhooks/test/ground.ts'
import { subscribeMany } from '../../src/surfaces/webhooks/test/many.ts'
import { openReceiver, type Receiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import type { Member } from '../product-world.ts'
import { eventually } from '../world.ts'

const full = inject('chaos') === 'full'
const kills = full ? 40 : 3
const endpoints = 1000
const tenants = 20
/** Of each tenant, between two kills. */
const events_a_round = full ? 10 : 2

let ground: Ground
let receiver: Receiver
beforeAll(async () => {
  // This process answers requests and commits events: the work is done by those that are killed.
  ground = await openGround({
    ROLES: 'api',
    WEBHOOKS_LEASE_SECONDS: '4',
    WEBHOOKS_TIMEOUTS: 'dns:500,connect:500,tls:500,write:500,first_byte:1500,body:500,total:2000',
    WEBHOOKS_MAX_SUBSCRIPTIONS: '1000',
  })
  receiver = await openReceiver()
})
afterAll(async () => {
  await ground.close()
  await receiver.close()
})

const worker = () => startProcess({ ...ground.environment, ROLES: 'worker' }, 'product')

type Site = { owner: Member; ids: string[]; path: string; events: string[] }

async function settle(tenant: number): Promise<Site> {
  const owner = await ground.owner()
  const path = (n: number) => `/${tenant}/${n}`
  const urls = Array.from({ length: endpoints / tenants }, (_, n) => at(receiver, path(n)))
  const ids = await subscribeMany(ground, owner, urls, ['account.verified'])
  return { owner, ids, path: `/${tenant}/`, events: [] }
}

const Count = Type.Object({ many: Type.Integer() })

async function count(which: ReturnType<typeof sql>): Promise<number> {
  const { db } = ground.platform.kernel
  const { many } = await db.one(
    Count,
    sql`
      -- any tenant: the test made them all
      select count(*)::int as many from webhooks.deliveries d
      join webhooks.subscriptions s on s.id = d.subscription_id
      where ${which}`,
  )
  return many
}

const arrived = (many: number) =>
  eventually('some are sent', () => receiver.received.length >= many)

const Answer = Type.Object({ answered: Type.String() })
const Ended = Type.Object({ ended: Type.Boolean() })

/**
 * A claim that was being committed meanwhile is running too, although its lease is not visible yet.
 */
async function whatWasOpenHasEnded(): Promise<void> {
  const { db } = ground.platform.kernel
  const { answered } = await db.one(Answer, sql`select clock_timestamp()::text as answered`)
  await eventually('no older transaction is open', async () => {
    const { ended } = await db.one(
      Ended,
      sql`
        select not exists (select from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and xact_start <= ${answered}::timestamptz) as ended`,
    )
    return ended
  })
}

/** Answered, and what was under way has ended; how often it was sent to by then. */
async function leaveAlone({ owner, ids, path }: Site, n: number, method: string, body?: object) {
  const id = ids[n] ?? ''
  const said = await ground.call(method, `/v1/webhook-subscriptions/${id}`, {
    token: owner.token,
    ...(body ? { body } : {}),
  })
  expect(said.status).toBeLessThan(300)
  await whatWasOpenHasEnded()
  await eventually(
    'nothing is under way',
    async () => (await count(sql`s.id = ${id} and d.leased_until > now()`)) === 0,
  )
  const before = receiver.of(`${path}${n}`).length
  return { id, path: `${path}${n}`, before }
}

test(`${kills} SIGKILLs under load with ${endpoints} endpoints: nothing is lost, changed or stuck`, async () => {
  const sites = await Promise.all(Array.from({ length: tenants }, (_, tenant) => settle(tenant)))
  const [first, second] = sites as [Site, Site]
  const victims: PlatformProcess[] = [await worker(), await worker()]
  const still: { path: string; before: number }[] = []
  for (let kill = 0; kill < kills; kill++) {
    for (const site of sites) site.events.push(...(await ground.emit(site.owner, events_a_round)))
    await arrived(receiver.received.length + 200)
    if (kill === 0) {
      still.push(await leaveAlone(first, 0, 'PATCH', { state: 'paused' }))
      still.push(await leaveAlone(second, 0, 'DELETE'))
    }
    await victims[kill % 2]?.kill()
    victims[kill % 2] = await worker()
  }
  const active = sql`s.state = 'active' and d.state <> 'delivered'`
  const expected = sites.reduce((sum, { ids, events }) => sum + ids.length * events.length, 0)
  await eventually(
    'all are delivered',
    async () =>
      (await count(sql`true`)) >= expected - (second.events.length + 1) &&
      (await count(active)) === 0,
    full ? 600_000 : 90_000,
  )
  for (const { path, before } of still) expect(receiver.of(path)).toHaveLength(before)
  const resumed = await ground.call('PATCH', `/v1/webhook-subscriptions/${first.ids[0]}`, {
    token: first.owner.token,
    body: { state: 'active' },
  })
  expect(resumed.status).toBe(200)
  await eventually('what waited is delivered too', async () => (await count(active)) === 0)
  await eventually(
    'what waited for the deleted one is cancelled',
    async () => (await count(sql`s.state = 'deleted' and d.state = 'pending'`)) === 0,
  )
  judge(sites, second)
  const checks = Object.values(ground.platform.opened).flatMap(one => one.checks ?? [])
  for (const check of checks.filter(({ name }) => name === 'webhooks')) {
    expect(await check.run()).toEqual([])
  }
  for (const victim of victims) await victim.kill()
}, 1_200_000)

/** What arrived, against what was committed. */
function judge(sites: readonly Site[], { path: of_deleted }: Site): void {
  const bytes = new Map<string, string>()
  const arrived = new Map<string, Set<string>>()
  for (const { path, id, body } of receiver.received) {
    const hash = createHash('sha256').update(body).digest('hex')
    expect(hash).toBe(bytes.get(id) ?? hash)
    bytes.set(id, hash)
    arrived.set(path, (arrived.get(path) ?? new Set()).add(id))
  }
  for (const { ids, events, path } of sites) {
    for (const n of ids.keys()) {
      if (path === of_deleted && n === 0) continue
      expect(arrived.get(`${path}${n}`)).toEqual(new Set(events))
    }
  }
}
