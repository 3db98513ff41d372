/** Workflows over HTTP: who sees steps and sends signals, whose rights a run has, and its clock. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../../test/world.ts'
import { all_of_jobs, openAskingWorld } from '../../test/asking-world.ts'

const world = await openAskingWorld({})
afterEach(() => clock(0))
afterAll(async () => {
  await world.check()
  await world.close()
})

const day = 86_400
function clock(offset_seconds: number) {
  return world.call('POST', '/dev/clock', { body: { offset_seconds } })
}

const submitter = () => world.person([...all_of_jobs, 'jobs.jobs.signal:*'])
const submit = (who: Member, ...steps: object[]) =>
  world.submit(who, { type: 'test.listed', parameters: { steps } })
const stepsOf = ({ token }: Member, id: string, query = '') =>
  world.call('GET', `/v1/jobs/${id}/steps${query}`, { token })
const go = { name: 'go' }
const signal = ({ token }: Member, id: string, body: unknown = go, key = newKey()) =>
  world.call('POST', `/v1/jobs/${id}/signals`, { token, key, body })
const stateOf = async (id: string) => {
  const [row] = await world.query<{ state: string; error_code: string | null }>(
    'select state, error_code from jobs.jobs where id = $1',
    [id],
  )
  return row
}
const ended = (id: string, state: string) =>
  eventually(`${id} is ${state}`, async () => {
    const row = await stateOf(id)
    return row?.state === state && row
  })
const waits = (who: Member, id: string) =>
  eventually(`${id} waits`, async () => {
    const { body } = await world.show(who, id)
    return body.waiting_reason === 'step' && body
  })
await world.query('create table public.effects (job_id uuid, attempt_no int, note text)')

describe('the steps of a run', () => {
  test('are listed in their order, with results for callers who may read results', async () => {
    const who = await submitter()
    const id = await submit(who, { kind: 'write', name: 'w' }, { kind: 'signal', name: 'go' })
    await waits(who, id)
    const { status, body } = await stepsOf(who, id)
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { name: 'w', kind: 'write', state: 'done', attempts: 1, result: 'w' },
      { name: 'go', kind: 'signal', state: 'waiting', result: null },
    ])
    const first = await stepsOf(who, id, '?limit=1')
    expect(first.body.data).toHaveLength(1)
    const next = await stepsOf(who, id, `?limit=1&cursor=${first.body.next_cursor}`)
    expect(next.body.data).toMatchObject([{ name: 'go' }])
    const reader = await world.person(['jobs.jobs.read:*'], who.tenant)
    const seen = await stepsOf(reader, id)
    expect(seen.body.data).toMatchObject([{ name: 'w', result: null }, { name: 'go' }])
    const stranger = await submitter()
    expect((await stepsOf(stranger, id)).status).toBe(404)
    expect((await stepsOf(await world.person([], who.tenant), id)).status).toBe(404)
  })
})

describe('a signal', () => {
  test('is accepted once for a key, and ends the wait', async () => {
    const who = await submitter()
    const id = await submit(who, { kind: 'signal', name: 'go' })
    await waits(who, id)
    const key = newKey()
    const sent = await Promise.all(
      Array.from({ length: 10 }, () => signal(who, id, { name: 'go', data: { n: 1 } }, key)),
    )
    const accepted = sent.filter(one => one.status === 202)
    expect(new Set(accepted.map(one => one.body.id)).size).toBe(1)
    await ended(id, 'succeeded')
    expect(await world.query('select from jobs.job_signals where job_id = $1', [id])).toHaveLength(
      1,
    )
    expect(await signal(who, id)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    })
  })

  test('needs its permission, and a workflow of the tenant', async () => {
    const who = await submitter()
    const id = await submit(who, { kind: 'signal', name: 'go' })
    const reader = await world.person(['jobs.jobs.read:*', 'jobs.jobs.signal:other'], who.tenant)
    expect((await signal(reader, id)).status).toBe(403)
    expect((await signal(await world.person([], who.tenant), id)).status).toBe(404)
    expect((await signal(await submitter(), id)).status).toBe(404)
    const plain = await world.submit(who, { type: await world.idleType() })
    expect(await signal(who, plain)).toMatchObject({
      status: 409,
      body: { code: 'job_has_no_steps' },
    })
    for (const name of ['', '-', 'a'.repeat(101), 'a\u0000']) {
      expect((await signal(who, id, { name })).status).toBe(422)
    }
  })
})

const lose: Readonly<Record<string, (who: Member) => Promise<unknown>>> = {
  role: async who => {
    const admin = await world.person(undefined, who.tenant)
    await world.give(admin, 'tenant_admin')
    const path = `/v1/accounts/${who.id}/roles/tenant_admin`
    expect((await world.call('DELETE', path, { token: admin.token })).status).toBe(204)
  },
  tenant: who => world.identity.administration.disableTenant(who.tenant.slug, 'test'),
}

describe('a run', () => {
  test('that sleeps 60 days wakes once, whichever way the clock goes', async () => {
    const who = await submitter()
    const steps = [
      { kind: 'sleep', name: 'nap', seconds: 60 * day },
      { kind: 'write', name: 'awake' },
      { kind: 'signal', name: 'go', seconds: 300 * day },
    ]
    const id = await submit(who, ...steps)
    const { next_attempt_at } = await waits(who, id)
    expect(Date.parse(next_attempt_at) - Date.now()).toBeGreaterThan(59 * day * 1000)
    const step = async (name: string) =>
      (
        await world.query<{ state: string }>(
          'select state from jobs.job_steps where job_id = $1 and name = $2',
          [id, name],
        )
      )[0]?.state
    await clock(59 * day)
    await clock(-day)
    await clock(60 * day + 10)
    await eventually('it is awake', async () => (await step('go')) === 'waiting')
    await clock(0)
    const { tenant_id } = (
      await world.query<{ tenant_id: string }>('select tenant_id from jobs.jobs where id = $1', [
        id,
      ])
    )[0] ?? { tenant_id: '' }
    await world.kernel.db.tx(tx =>
      world.face.signal(tx, { tenant_id, job_id: id, name: 'go', data: null }),
    )
    await ended(id, 'succeeded')
    expect(await step('nap')).toBe('done')
    expect(await world.query('select from public.effects where job_id = $1', [id])).toHaveLength(1)
  })

  test.each([
    ['whose owner has lost the permission', 'role'],
    ['whose tenant is disabled', 'tenant'],
  ])('%s does nothing more', async (_, lost) => {
    const who = await submitter()
    await world.give(who, 'tenant_admin')
    const turns = Array.from({ length: 300 }, (_, n) => ({
      kind: 'signal',
      name: `${n}`,
      of: 'go',
    }))
    const { id } = await world.kernel.db.tx(tx =>
      world.face.submit(tx, {
        tenant_id: who.tenant.id,
        principal_id: who.id,
        type: 'test.checked',
        parameters: {
          steps: [...turns, { kind: 'write', name: 'after' }],
        },
      }),
    )
    await eventually('it waits or was refused', async () => {
      const [row] = await world.query('select from jobs.job_steps where job_id = $1', [id])
      return row !== undefined || (await stateOf(id))?.state === 'failed'
    })
    expect((await stateOf(id))?.error_code).toBeNull()
    await lose[lost]?.(who)
    // The grants that an attempt sees are at most half a second old.
    await eventually('an attempt is refused', async () => {
      if ((await stateOf(id))?.state === 'failed') return true
      const order = { tenant_id: who.tenant.id, job_id: id, name: 'go' }
      await world.kernel.db.tx(tx => world.face.signal(tx, order)).catch(() => {})
      return false
    })
    expect(await ended(id, 'failed')).toMatchObject({ error_code: 'owner_revoked' })
    expect(await world.query('select from public.effects where job_id = $1', [id])).toEqual([])
  })

  test('that is checked needs a principal', async () => {
    const order = { tenant_id: newId(), type: 'test.checked', parameters: { steps: [] } }
    await expect(world.kernel.db.tx(tx => world.face.submit(tx, order))).rejects.toThrow(
      'principal',
    )
  })

  test('about a person is exported, and ends empty with the account', async () => {
    const who = await submitter()
    const other = await submitter()
    const about = {
      person: who.id,
      steps: [
        { kind: 'write', name: 'secret' },
        { kind: 'signal', name: 'go' },
      ],
    }
    const id = await world.submit(other, { type: 'test.listed', parameters: about })
    await waits(other, id)
    const mine = await submit(who, { kind: 'signal', name: 'early' }, { kind: 'signal', name: 'b' })
    expect((await signal(who, mine, { name: 'early', data: 'from me' })).status).toBe(202)
    const exported = await world.call('GET', '/v1/me/export', { token: who.token })
    expect(exported.text).toContain(id)
    expect(exported.text).toContain('secret')
    expect(exported.text).toContain('from me')
    const erased = await world.call('DELETE', `/v1/accounts/${who.id}`, { token: who.token })
    expect(erased.status).toBe(204)
    await ended(id, 'cancelled')
    await eventually('nothing is left', async () => {
      const left = await world.query(
        `select from jobs.job_inputs where job_id = any($1) and json_typeof(parameters) <> 'null'
         union all select from jobs.job_steps where job_id = any($1) and result is not null
         union all select from jobs.job_signals where job_id = any($1) and json_typeof(data) <> 'null'
         union all select from jobs.runs where person_id = $2`,
        [[id, mine], who.id],
      )
      return left.length === 0
    })
  })
})
