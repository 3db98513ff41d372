/**
 * Runs, signals and rules of a tenant that moves: a sleep of sixty days ends once, in the new cell, a
 * signal that was not read is read there, and a run that waits and a rule go on with the events of
 * that cell.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { directClient } from '../../src/kernel/database/direct.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import { engineComposition } from '../../src/surfaces/jobs/attempts/test/engine-composition.ts'
import type { Member } from '../product-world.ts'
import { eventually as within } from '../world.ts'
import { ask, openCells, type Cell } from './cells.ts'

const day = 86_400
const eventually = <T>(what: string, look: () => Promise<T | false>) => within(what, look, 40_000)

let old: Cell
let fresh: Cell
beforeAll(async () => {
  ;[old, fresh] = await openCells({}, engineComposition)
  for (const cell of [old, fresh]) {
    await query(cell, 'create table public.effects (job_id uuid, attempt_no int, note text)')
  }
})
afterAll(async () => {
  await Promise.all([old.close(), fresh.close()])
})

async function query<T>(cell: Cell, text: string, values: unknown[] = []): Promise<T[]> {
  const client = directClient(cell.database_url, 'test')
  await client.connect()
  try {
    return (await client.query(text, values)).rows as T[]
  } finally {
    await client.end()
  }
}

const effects = async (cell: Cell) =>
  (await query<{ note: string }>(cell, 'select note from public.effects order by note')).map(
    row => row.note,
  )

async function setClock(cell: Cell, offset_seconds: number): Promise<void> {
  expect((await cell.call('POST', '/dev/clock', { body: { offset_seconds } })).status).toBe(200)
}

const submit = async (cell: Cell, who: Member, ...steps: readonly object[]) =>
  (await ask(cell, who, 'POST', '/v1/jobs', { type: 'test.listed', parameters: { steps } }))
    .id as string

const waits = (cell: Cell, id: string, name: string) =>
  eventually(`${name} waits`, async () => {
    const rows = await query(
      cell,
      `select from jobs.job_steps s join jobs.jobs j on j.tenant_id = s.tenant_id and j.id = s.job_id
       where j.id = $1 and s.name = $2 and s.state = 'waiting' and j.state = 'retryable'`,
      [id, name],
    )
    return rows.length === 1
  })

const ended = (cell: Cell, id: string) =>
  eventually(`${id} has ended`, async () => {
    const [row] = await query<{ state: string; result: string }>(
      cell,
      `select j.state, convert_from(r.body, 'UTF8') as result from jobs.jobs j
       join jobs.job_results r on r.id = j.result_ref where j.id = $1`,
      [id],
    )
    return row?.state === 'succeeded' && (JSON.parse(row.result) as { results: unknown[] }).results
  })

const ruleJobs = async (cell: Cell, { tenant }: Member) =>
  await query<{ state: string }>(
    cell,
    `select state from jobs.jobs where tenant_id = $1 and operation = 'rule'`,
    [tenant.id],
  )

const publish = async (cell: Cell, by: Member, type: string, data: object) =>
  (await ask(cell, by, 'POST', '/v1/events', { events: [{ type, data }] })).event_ids[0] as string

/** A member of the old cell, and a type of events that both cells know. */
async function arrange(): Promise<[who: Member, type: string]> {
  const who = await old.member()
  await old.allow(
    who,
    'jobs.jobs.submit:*',
    'jobs.jobs.read:*',
    'jobs.jobs.signal:*',
    'jobs.rules.write:*',
    'webhooks.events.read:*',
    'kernel.events.publish:*',
  )
  const type = `deal_${newId().slice(-12)}.won`
  for (const cell of [old, fresh]) {
    const operator = await cell.member()
    await cell.allow(operator, 'kernel.event_types.write')
    const declared = { description: 'A deal was won.', schema: { type: 'object' } }
    await ask(cell, operator, 'PUT', `/v1/event-types/${type}`, declared)
  }
  return [who, type]
}

test('they go on in the new cell, once', async () => {
  const [who, type] = await arrange()
  const sleeper = await submit(
    old,
    who,
    { kind: 'write', name: 'before' },
    { kind: 'sleep', name: 'long', seconds: 60 * day },
    { kind: 'signal', name: 'first', of: 'go' },
    { kind: 'signal', name: 'second', of: 'go' },
    { kind: 'write', name: 'after' },
  )
  const where = { '/data/go': true }
  const event = { kind: 'event', type, where, seconds: 300 * day }
  const listener = await submit(old, who, { ...event, name: 'a' }, { ...event, name: 'b' })
  await ask(old, who, 'PUT', '/v1/job-rules/mine', {
    event: type,
    where: [{ at: '/data/go', is: 'eq', value: true }],
    job: { type: 'demo.count', parameters: { to: 1 } },
  })
  await waits(old, sleeper, 'long')
  for (const data of [1, 2]) {
    await ask(old, who, 'POST', `/v1/jobs/${sleeper}/signals`, { name: 'go', data })
  }
  await waits(old, listener, 'a')
  const before = await publish(old, who, type, { go: true })
  await waits(old, listener, 'b')
  await eventually('the rule ran', async () => (await ruleJobs(old, who)).length === 1)

  // Not long enough, and back.
  await setClock(old, 59 * day)
  await setClock(old, 0)
  await waits(old, sleeper, 'long')

  const move = { from: old.place, to: fresh.place, cell_url: fresh.url, scratch: old.data_dir }
  await moveTenant(move, who.tenant.slug)

  const login = await fresh.login(who)
  expect(login.status, login.text).toBe(201)
  const there = { ...who, token: login.body.access_token as string }
  await waits(fresh, sleeper, 'long')
  await publish(fresh, there, type, { go: false })
  const heard = await publish(fresh, there, type, { go: true })
  expect(await ended(fresh, listener)).toMatchObject([{ id: before }, { id: heard }])
  await eventually('the rule ran again', async () => (await ruleJobs(fresh, there)).length === 2)

  // The old cell has nothing left to wake.
  await setClock(old, 61 * day)
  await setClock(fresh, 61 * day)
  const results = await ended(fresh, sleeper)
  expect(results).toMatchObject(['before', null, { data: 1 }, { data: 2 }, 'after'])
  expect([await effects(old), await effects(fresh)]).toEqual([['before'], ['after']])
  const left = await query(old, 'select from jobs.jobs where tenant_id = $1', [who.tenant.id])
  expect(left).toEqual([])
})
