/** What two senders do to the same rows: each attempt is claimed once, and a late result changes nothing. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { retain } from '../../../kernel/work/retention.ts'
import { openProductWorld } from '../../../../test/product-world.ts'
import { claim, type Claimed } from '../sending/claim.ts'
import { finish } from '../sending/finish.ts'
import { markWire } from '../sending/mark-wire.ts'
import { openPace } from '../sending/pace.ts'
import { resultOf } from '../sending/result.ts'

const world = await openProductWorld({ NOTIFICATIONS_SENDER_ENABLED: 'false' })
afterAll(() => world.close())
const { db, takeEach } = world.platform.kernel
const many = 10_000
const open = () => Promise.resolve(true)
const asked = { of: 'single', lane: 2, many: 100, lease_seconds: 60 } as const

async function fill(tenant_id: string): Promise<void> {
  await db.run(sql`
    with made as (
      insert into notifications.notification_intents
        (tenant_id, id, recipient_ref, category, priority, template_version, state, expires_at)
      select ${tenant_id}, gen_random_uuid(), 'destination:' || gen_random_uuid(), 'order.updates',
        'normal', 'dodeca/notice@1', 'queued', kernel.now() + interval '1 day'
      from generate_series(1, ${many})
      returning id
    )
    insert into notifications.delivery_attempts
      (tenant_id, id, intent_id, channel, attempt_no, state, next_attempt_at, lane)
    select ${tenant_id}, gen_random_uuid(), id, 'email', 1, 'pending', kernel.now(), 2 from made`)
}

async function claimAll(): Promise<Claimed[]> {
  const mine: Claimed[] = []
  for (;;) {
    const some = await claim(db, open, asked)
    if (some.length === 0) return mine
    mine.push(...some)
  }
}

test('two workers claim ten thousand attempts, each once; a stale worker finishes nothing', async () => {
  const { id: tenant_id } = await world.tenant()
  await fill(tenant_id)
  const [one, other] = await Promise.all([claimAll(), claimAll()])
  const all = [...one, ...other].filter(row => row.tenant_id === tenant_id)
  expect(all).toHaveLength(many)
  expect(new Set(all.map(row => row.intent_id)).size).toBe(many)
  expect(Math.min(one.length, other.length)).toBeGreaterThan(0)
  const stale = all.slice(0, 200).map(row => ({ ...row, token: newId() }))
  await db.tx(tx =>
    finish(
      tx,
      stale.map(row => resultOf(row, { state: 'accepted' })),
    ),
  )
  expect(await markWire(db, stale, 60)).toEqual(stale.map(() => false))
  const { sending } = await db.one(
    Type.Object({ sending: Type.Integer() }),
    sql`
      select count(*)::int as sending from notifications.delivery_attempts
      where tenant_id = ${tenant_id} and state = 'sending' and wire_at is null`,
  )
  expect(sending).toBe(many)
})

test('old notifications are deleted however many there are', async () => {
  const { id: tenant_id } = await world.tenant()
  await db.run(sql`
    with made as (
      insert into notifications.notification_intents
        (tenant_id, id, recipient_ref, category, priority, template_version, state, expires_at,
          created_at)
      select ${tenant_id}, gen_random_uuid(), 'destination:' || gen_random_uuid(), 'order.updates',
        'normal', 'dodeca/notice@1', 'sent', kernel.now(), kernel.now() - interval '400 days'
      from generate_series(1, 2500)
      returning id
    )
    insert into notifications.delivery_attempts
      (tenant_id, id, intent_id, channel, attempt_no, state, lane)
    select ${tenant_id}, gen_random_uuid(), id, c, 1, 'accepted', 2
    from made cross join unnest('{email,push}'::text[]) c`)
  const declared = world.platform.opened['notifications']?.retention ?? []
  await retain(world.platform.kernel, declared, new AbortController().signal)
  for (const table of ['notification_intents', 'delivery_attempts']) {
    const left = sql`
      select from notifications.${sql.id(table)} where tenant_id = ${tenant_id}`
    expect(await db.run(left), table).toBe(0)
  }
})

test('nothing is claimed while the sending is paused', async () => {
  const { id: tenant_id } = await world.tenant()
  await fill(tenant_id)
  expect(await claim(db, () => Promise.resolve(false), asked)).toEqual([])
  expect(await claim(db, open, asked)).toHaveLength(asked.many)
})

test('two processes together keep the rate of a tenant', async () => {
  const per_second = 20
  const of = newId()
  const running = new AbortController().signal
  const turns: number[] = []
  const process = async (pace: ReturnType<typeof openPace>) => {
    for (let sent = 0; sent < 30;) {
      if ((await pace('tenant', of, per_second, running)) > 0) continue
      sent++
      turns.push(performance.now())
    }
  }
  const paces = [openPace({ db, takeEach }), openPace({ db, takeEach })]
  await Promise.all(paces.map(process))
  // A full bucket, what comes in within a second, and the share that each process holds.
  const most = per_second + per_second + 2 * 2
  for (const from of turns) {
    const within = turns.filter(at => at >= from && at < from + 1000)
    expect(within.length).toBeLessThanOrEqual(most)
  }
  expect(turns).toHaveLength(60)
})
