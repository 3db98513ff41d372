/**
 * Two processes are killed again and again while clients move money under keys and retry what they got no
 * answer to. Afterwards every acknowledged transfer is there once, no key moved money twice, every change
 * has its event, every event its change, and the consumer heard each version once and in order.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { storedKey } from '../../src/kernel/idempotency/records.ts'
import { openBank, type Bank } from '../bank.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { eventually, newKey, openWorld, type World } from '../world.ts'

const kills = inject('chaos') === 'full' ? 200 : 6
const clients = 12
const accounts_count = 8

let world: World
let admin: pg.Client
let bank: Bank
beforeAll(async () => {
  // This process only looks on: the work is done by those that are killed.
  world = await openWorld({ ROLES: 'api' })
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
  await admin.query('set statement_timeout = 0')
  bank = await openBank(world)
})
afterAll(async () => {
  await admin.end()
  await world.close()
})

test(`${kills} SIGKILLs under load lose nothing and double nothing`, async () => {
  const accounts: string[] = []
  for (let i = 0; i < accounts_count; i++) accounts.push(await bank.open(1_000_000))
  const environment = { ...world.environment, ROLES: 'api,worker' }
  const processes = [await startProcess(environment), await startProcess(environment)]
  const acknowledged = new Map<string, string>()
  let stopping = false
  const load = Array.from({ length: clients }, async (_, client) => {
    for (let i = 0; !stopping; i++) {
      const from = accounts[(client + i) % accounts_count] ?? ''
      const to = accounts[(client * 3 + i * 5 + 1) % accounts_count] ?? ''
      if (from !== to) await insist(processes, from, to, newKey(), acknowledged)
    }
  })
  for (let kill = 0; kill < kills; kill++) {
    const which = kill % 2
    const before = acknowledged.size
    await eventually('transfers go on', () => acknowledged.size > before + (kill % 7) * 5)
    await processes[which]?.kill()
    processes[which] = await startProcess(environment)
  }
  stopping = true
  await Promise.all(load)

  const transfers = await all<{ key: string; id: string; stored: boolean }>(`
    select r.key, r.id, t.id is not null as stored
    from (
      select key, (convert_from(body, 'utf8')::json ->> 'id')::uuid as id
      from kernel.idempotency_records where operation = 'POST /v1/book/transfers'
    ) r
    left join book.transfers t on t.id = r.id`)
  const recorded = new Map(transfers.map(row => [row.key, row.id]))
  for (const [key, id] of acknowledged) expect(recorded.get(storedKey(key))).toBe(id)
  expect(transfers.filter(row => !row.stored)).toEqual([])
  const [{ n: stored } = { n: -1 }] = await all<{ n: number }>(
    'select count(*)::int as n from book.transfers',
  )
  expect(stored).toBe(transfers.length)
  await eventually('the log is heard to its end', async () => {
    const rows = await all<{ behind: number }>(`
      select count(*)::int as behind from book.accounts a
      left join book.heard h on h.tenant_id = a.tenant_id and h.account_id = a.id
      where a.version > 1 and (h.last_version is distinct from a.version or h.events is distinct from a.version - 1)`)
    return rows[0]?.behind === 0
  })
  const check = world.faces.opened['book']?.checks?.[0]
  expect(await check?.run()).toEqual([])
  expect(await all(`select * from kernel.event_parks where state <> 'resolved'`)).toEqual([])
  const [positions] = await all<{ n: number; span: number }>(
    'select count(*)::int as n, (max(position) - min(position) + 1)::int as span from kernel.events',
  )
  expect(positions?.n).toBe(positions?.span)
  await Promise.all(processes.map(one => one.kill()))
}, 1_200_000)

/** Sends one transfer under one key, to whichever process answers, until it is decided. */
async function insist(
  processes: PlatformProcess[],
  from: string,
  to: string,
  key: string,
  acknowledged: Map<string, string>,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const url = processes[attempt % 2]?.url ?? ''
    try {
      const answer = await bank.transfer(from, to, 1, { key, url })
      if (answer.status === 201) return void acknowledged.set(key, answer.body.id as string)
      if (answer.status < 500 && answer.body?.code !== 'idempotency_in_progress') {
        throw new Refused(`${answer.status} ${answer.text}`)
      }
    } catch (error) {
      if (error instanceof Refused) throw error
    }
    if (attempt > 500) throw new Error('no process answers')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

class Refused extends Error {}

async function all<T>(text: string): Promise<T[]> {
  return (await admin.query(text)).rows as T[]
}
