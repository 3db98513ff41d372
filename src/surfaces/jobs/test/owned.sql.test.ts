/**
 * Work of another surface: its own record changes in the commit that ends or reopens the job, however the
 * job ends, and its own endpoint alone makes such jobs.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { JobFailure, newId, sql, type JobType } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import type { JobOrder } from '../face.ts'
import { openAskingWorld } from './asking-world.ts'

const type = 'owned.work'
const own_permission = 'identity.accounts.read'
const broken = new Set<string>()
const owned: JobType = {
  type,
  schema_version: 1,
  parameters: Type.Object({ fails: Type.Optional(Type.Boolean()) }),
  permission: own_permission,
  run: async ({ parameters }) => {
    if ((parameters as { fails?: boolean }).fails) throw new JobFailure('content_blocked')
    return { said: 'done' }
  },
  ended: async (tx, { id, state }) => {
    if (broken.has(id)) throw new Error('the record cannot be written')
    await tx.run(sql`update public.records set state = ${state} where job_id = ${id}`)
  },
  reopened: async (tx, { id }) => {
    await tx.run(sql`update public.records set state = 'waiting' where job_id = ${id}`)
  },
}

const world = await openAskingWorld({}, [owned])
await world.query('create table public.records (job_id uuid primary key, state text not null)')
afterAll(async () => {
  await world.check()
  await world.close()
})

async function place(who: Member, order: Partial<JobOrder> = {}): Promise<string> {
  const id = newId()
  await world.kernel.db.tx(async tx => {
    await tx.run(sql`insert into public.records values (${id}, 'waiting')`)
    const { tenant } = who
    const own = { id, type, tenant_id: tenant.id, principal_id: who.id }
    expect(await world.face.submit(tx, { ...own, ...order })).toEqual({ id, existing: false })
  })
  return id
}

const later = () => ({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })

/** Both rows as one snapshot sees them, again and again until the job is over. */
async function watch(id: string): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const [row] = await world.query<{ job: string; record: string; over: boolean }>(
      `select j.state as job, r.state as record, j.completed_at is not null as over
       from jobs.jobs j join public.records r on r.job_id = j.id where j.id = $1`,
      [id],
    )
    if (!row) throw new Error('no such job')
    expect(row.record).toBe(row.over ? row.job : 'waiting')
    if (row.over) return [...seen, row.job]
    if (seen.at(-1) !== row.job) seen.push(row.job)
  }
}

const end = (seen: readonly string[]) => seen.at(-1)

describe.concurrent('a record and its job', () => {
  test('are cancelled together while it waits', async () => {
    const who = await world.person([own_permission])
    const id = await place(who, later())
    const watching = watch(id)
    const { status } = await world.call('POST', `/v1/jobs/${id}/cancel`, { token: who.token })
    expect([status, await watching.then(end)]).toEqual([200, 'cancelled'])
  })

  test('expire together', async () => {
    const who = await world.person([own_permission])
    const id = await place(who, {
      type,
      scheduled_at: new Date(Date.now() + 2000).toISOString(),
      deadline_at: new Date(Date.now() + 2001).toISOString(),
    })
    expect(['expired', 'succeeded']).toContain(end(await watch(id)))
    const missed = await place(who, {
      depends_on: [{ job_id: await place(who, later()) }],
      deadline_at: new Date(Date.now() + 2000).toISOString(),
    })
    expect(await watch(missed)).toEqual(['pending', 'expired'])
  })

  test('fail together when what it waits for fails', async () => {
    const who = await world.person([own_permission])
    const parent = await place(who, later())
    const id = await place(who, { depends_on: [{ job_id: parent }] })
    const watching = watch(id)
    await world.call('POST', `/v1/jobs/${parent}/cancel`, { token: who.token })
    expect(end(await watching)).toBe('failed')
  })

  test('succeed together, fail together, and are taken up again together', async () => {
    const who = await world.person([own_permission, 'jobs.jobs.retry:*'])
    expect(end(await watch(await place(who)))).toBe('succeeded')
    const id = await place(who, { parameters: { fails: true } })
    expect(end(await watch(id))).toBe('failed')
    expect((await world.show(who, id)).body.error.code).toBe('content_blocked')
    const { status } = await world.call('POST', `/v1/jobs/${id}/retry`, { token: who.token })
    expect(status).toBe(202)
    expect(end(await watch(id))).toBe('failed')
    expect((await world.show(who, id)).body.attempt_count).toBe(2)
  })

  test('stay as they are where the record cannot be written', async () => {
    const who = await world.person([own_permission])
    const id = await place(who, later())
    broken.add(id)
    const { status } = await world.call('POST', `/v1/jobs/${id}/cancel`, { token: who.token })
    expect(status).toBe(500)
    expect((await world.show(who, id)).body.state).toBe('pending')
    broken.delete(id)
    expect(await world.history(id)).toEqual(['submitted'])
  })
})

describe.concurrent('work of another surface', () => {
  test('is made by its own endpoint alone', async () => {
    const who = await world.person()
    const direct = await world.order(who, { type })
    expect([direct.status, direct.body.code]).toEqual([422, 'unknown_job_type'])
    const id = await place(who)
    await watch(id)
    const again = await world.call('POST', `/v1/jobs/${id}/retry`, {
      token: who.token,
      body: { mode: 'new_job' },
    })
    expect([again.status, again.body.code]).toEqual([422, 'unknown_job_type'])
  })

  test('is seen and cancelled by the submitter with the permission of that surface', async () => {
    const author = await world.person([own_permission])
    const colleague = await world.person([own_permission], author.tenant)
    const stripped = await world.person(['jobs.jobs.submit:*'], author.tenant)
    const id = await place(author, later())
    expect((await world.show(author, id)).status).toBe(200)
    expect((await world.show(colleague, id)).status).toBe(404)
    const foreign = await place(stripped, later())
    expect((await world.show(stripped, foreign)).status).toBe(404)
    const list = await world.call('GET', '/v1/jobs', author)
    expect(list.body.data.map((job: { id: string }) => job.id)).toEqual([id])
    expect((await world.call('GET', '/v1/jobs', stripped)).body.data).toEqual([])
    const { status } = await world.call('POST', `/v1/jobs/${id}/cancel`, { token: author.token })
    expect(status).toBe(200)
  })

  test('submitted twice with one key is one job', async () => {
    const who = await world.person([own_permission])
    const order = {
      type,
      tenant_id: who.tenant.id,
      principal_id: who.id,
      operation: 'POST /v1/owned',
      idempotency_key: newId(),
      ...later(),
    }
    const submit = () => world.kernel.db.tx(tx => world.face.submit(tx, order))
    const [one, other] = [await submit(), await submit()]
    expect([one.existing, other]).toEqual([false, { id: one.id, existing: true }])
    const elsewhere = { ...order, tenant_id: (await world.person()).tenant.id }
    const third = await world.kernel.db.tx(tx => world.face.submit(tx, elsewhere))
    expect(third.existing).toBe(false)
  })
})
