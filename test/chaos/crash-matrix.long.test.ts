/**
 * Killed at each point of a keyed write and of its event's path: before COMMIT nothing happened and
 * a retry executes; after it a retry replays; an event is sequenced and consumed once, whichever
 * process was killed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { openBank, type Bank } from '../bank.ts'
import { killedAt } from '../crash.ts'
import { startProcess } from '../process.ts'
import { eventually, newKey, openWorld, type World } from '../world.ts'

let world: World
let admin: pg.Client
let bank: Bank
beforeAll(async () => {
  world = await openWorld({ ROLES: 'api' })
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
  bank = await openBank(world)
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

describe('a keyed write', () => {
  test('killed before COMMIT: nothing happened, and a retry executes', async () => {
    const [from, to, key] = [await bank.open(100), await bank.open(0), newKey()]
    await killedAt(world, 'kernel.before_commit', url => bank.transfer(from, to, 10, { key, url }))
    expect(await bank.balance(to)).toBe(0)
    const again = await bank.transfer(from, to, 10, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(await bank.balance(to)).toBe(10)
  })

  test('killed after COMMIT, before the answer: a retry replays', async () => {
    const [from, to, key] = [await bank.open(100), await bank.open(0), newKey()]
    await killedAt(world, 'kernel.after_commit', url => bank.transfer(from, to, 10, { key, url }))
    expect(await bank.balance(to)).toBe(10)
    const again = await bank.transfer(from, to, 10, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(await bank.balance(to)).toBe(10)
  })
})

async function heard(account_id: string) {
  const { rows } = await admin.query<{ version: number; events: number }>(
    'select last_version::int as version, events::int from book.heard where account_id = $1',
    [account_id],
  )
  return rows
}

/** Where the events of an account are, for the message of a failure. */
async function pathOf(account_id: string) {
  const { rows } = await admin.query(
    `select now(),
       (select jsonb_agg(a.application_name) from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory') as leader,
       (select count(*) from kernel.outbox_events where aggregate_id = $1) as waiting,
       (select jsonb_agg(jsonb_build_array(e.position, e.lane, e.created_at) order by e.position)
        from kernel.events e where e.aggregate_id = $1) as logged,
       (select jsonb_agg(to_jsonb(c)) from kernel.event_consumers c
        where c.consumer = 'book.heard' and c.lane = kernel.lane_of($1)) as lane,
       (select jsonb_agg(to_jsonb(p)) from kernel.event_parks p where p.aggregate_id = $1) as parks`,
    [account_id],
  )
  return { heard: await heard(account_id), ...(rows[0] as object) }
}

describe('an event', () => {
  test.each(['kernel.sequencer', 'kernel.consumer'])(
    'killed at %s: heard once, in order',
    async point => {
      const [from, to] = [await bank.open(100), await bank.open(0)]
      await killedAt(world, point, async url => {
        for (let i = 0; i < 5; i++) await bank.transfer(from, to, 1, { url })
      })
      await bank.transfer(from, to, 1)
      const next = await startProcess({ ...world.environment, ROLES: 'api,worker' })
      try {
        const transfers = await bank.balance(to)
        const events = await eventually('every version was heard', async () => {
          const [row] = await heard(to)
          return row?.version === transfers + 1 && row.events
        })
        expect(events).toBe(transfers)
      } catch (error) {
        throw new Error(`${JSON.stringify(await pathOf(to))}\n${next.output()}`, { cause: error })
      } finally {
        await next.kill()
      }
    },
  )

  test('leaves no change without its event, and no event without its change', async () => {
    expect(await world.faces.opened['book']?.checks?.[0]?.run()).toEqual([])
  })
})
