/**
 * Work that runs after its request. `docs/security.md` lists every kind: under whom it runs, and
 * where the right is asked again. A kind without a line fails here. Each type of job that a person
 * may submit is run after its owner has lost the right in each way, and does nothing. The other
 * kinds have tests of their own: owners.test.ts and rules.test.ts of jobs, senders.test.ts of notifications,
 * owner-rights.test.ts of webhooks, owning.test.ts of retrieval. The same holds for the narrow session
 * in which work was asked for: it does nothing outside the scope, or after the session has ended.
 */
import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, workflow, type JobType } from '#dodeca/kernel'
import type { Inside as Jobs } from '../src/surfaces/jobs/face.ts'
import { openInferenceWorld, type Someone } from '../src/surfaces/inference/test/inference-world.ts'
import { smallest } from '../src/testing/contract/synthesis.ts'
import { beginNarrow } from './narrow.ts'
import type { Tenant } from './product-world.ts'
import { composition } from '../src/platform.ts'
import { gather } from '../src/runtime/gather-declarations.ts'
import { withJobTypes } from './with-job-types.ts'
import { eventually, newKey } from './world.ts'

/** A workflow that goes on at each signal, under the right of the one who submitted it. */
const signalled = workflow(
  'later.signalled',
  1,
  { input: Type.Object({}), permission: 'jobs.types.read', checked: true },
  async step => {
    for (let n = 0; n < 300; n++) await step.signal(`${n}`, { of: 'go', timeout_seconds: 3600 })
  },
)
const world = await openInferenceWorld(
  {},
  withJobTypes((_, kernel) => [signalled.jobType({ kernel, needs: {} })]),
)
afterAll(() => world.close())
const { kernel, opened } = world.platform
const { administration } = world.identity
const jobs = opened['jobs']?.face as Jobs
const surfaces = Object.values(opened)
const job_types = kernel.declared.jobTypes().filter(one => one.type !== signalled.type)
const asked = job_types.filter(one => one.permission && !one.outlives_owner)

const rolesWith = (permission: string) =>
  (gather(composition.surfaces).permissions.get(permission)?.roles ?? []).filter(
    role => role !== 'member' && role !== 'tenant_admin',
  )

test('every kind of work has a line in docs/security.md', async () => {
  const page = await readFile(new URL('../docs/security.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('## Work that'), page.indexOf('## What is not'))
  const said = new Set([...section.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name]) => name))
  const work = surfaces.flatMap(({ queues = [], loops = [], consumers = [] }) =>
    [...queues, ...loops, ...consumers].map(one => one.name),
  )
  const kinds = new Set([...job_types.map(one => one.type), ...work, 'kernel.erasures'])
  expect([...kinds].filter(one => !said.has(one))).toEqual([])
  expect([...said].filter(one => !kinds.has(one ?? ''))).toEqual([])
})

type Owner = { readonly one: Someone; readonly tenant: Tenant }

/** A guest of the tenant, whose rights there are those of these roles. */
async function guest(roles: readonly string[]): Promise<Owner> {
  const one = await world.someone()
  const tenant = await world.tenant()
  await world.give({ ...one, tenant }, ...roles)
  return { one, tenant }
}

const lose: Readonly<Record<string, (owner: Owner) => Promise<unknown>>> = {
  'the role was taken away': ({ one, tenant }) =>
    kernel.db.run(sql`
      delete from identity.role_assignments
      where tenant_id = ${tenant.id} and account_id = ${one.id}`),
  'the account was disabled': ({ one }) =>
    administration.disableAccount({ tenant: one.tenant.slug, account: one.id }, 'test'),
  'the account was erased': async ({ one }) => {
    expect((await one.ask('DELETE', `/v1/accounts/${one.id}`)).status).toBe(204)
  },
  'the tenant was disabled': ({ tenant }) => administration.disableTenant(tenant.slug, 'test'),
}

const Ended = Type.Object({
  state: Type.String(),
  error_code: Type.Union([Type.String(), Type.Null()]),
})
const ended = (job_id: string) =>
  eventually('the job has ended', async () => {
    const job = await kernel.db.one(
      Ended,
      sql`
        -- any tenant: the job's own id
        select state, error_code from jobs.jobs where id = ${job_id}`,
    )
    return ['succeeded', 'failed', 'cancelled'].includes(job.state) && job
  })

/** Holds back jobs of all these types until the returned function is called. */
async function hold(types: readonly string[]): Promise<() => Promise<void>> {
  const operator = await world.someone()
  await world.allow(operator, 'jobs.types.pause:*')
  const each = async (what: string) => {
    for (const type of types) {
      const body = what === 'pause' ? { reason: 'a test' } : {}
      const answer = await operator.ask('POST', `/v1/job-types/${type}/${what}`, body)
      expect(answer.status, answer.text).toBeLessThan(300)
    }
  }
  await each('pause')
  return () => each('resume')
}

const order = async (
  { type, parameters }: JobType,
  { one, tenant }: Owner,
  session_id: string | null = null,
) =>
  await kernel.db.tx(async tx => {
    const given = { type, parameters: smallest(parameters), tenant_id: tenant.id }
    return (await jobs.submit(tx, { ...given, principal_id: one.id, session_id })).id
  })

/** Of the account that asks, or of another one. */
type Begin = (owner: Owner, permission: string) => Promise<string>
const scoped =
  (scopeOf: (permission: string) => string[]): Begin =>
  async ({ one }, permission) =>
    (await beginNarrow(world.platform, one, { scope: scopeOf(permission) })).session_id
const itself = scoped(permission => [permission])

const narrow: Readonly<Record<string, Begin>> = {
  'the scope has another word': scoped(() => ['openid', 'jobs.read', 'jobs.jobs.submit:other']),
  'the narrow session ended': async (owner, permission) => {
    const { one } = owner
    const { token, session_id } = await beginNarrow(world.platform, one, { scope: [permission] })
    expect((await one.ask('DELETE', `/v1/sessions/${session_id}`, {}, { token })).status).toBe(204)
    return session_id
  },
  'the narrow session expired': async (owner, permission) => {
    const session_id = await itself(owner, permission)
    await kernel.db.run(sql`
      update identity.sessions set expires_at = kernel.now() where id = ${session_id}`)
    return session_id
  },
  'the narrow session is gone': async (owner, permission) => {
    const session_id = await itself(owner, permission)
    await kernel.db.run(sql`delete from identity.sessions where id = ${session_id}`)
    return session_id
  },
  'the narrow session is of another account': async (_owner, permission) =>
    await itself({ one: await world.someone(), tenant: await world.tenant() }, permission),
}

/** Work of a full session belongs to the account. */
const beginning = ['the session ended', 'in its scope']

describe('a job that a person may submit', () => {
  const ids = new Map<string, string>()
  beforeAll(async () => {
    const resume = await hold(asked.map(one => one.type))
    for (const type of asked) {
      for (const way of [...Object.keys(lose), 'the session ended']) {
        const owner = await guest(['tenant_admin', ...rolesWith(type.permission ?? '')])
        ids.set(`${type.type} ${way}`, await order(type, owner))
        if (way in lose) await lose[way]?.(owner)
        else await owner.one.ask('DELETE', `/v1/sessions/${owner.one.session_id}`)
      }
      for (const [way, begin] of [...Object.entries(narrow), ['in its scope', itself] as const]) {
        const owner = await guest(['tenant_admin', ...rolesWith(type.permission ?? '')])
        const session_id = await begin(owner, type.permission ?? '')
        ids.set(`${type.type} ${way}`, await order(type, owner, session_id))
      }
    }
    await resume()
  })

  test.for(
    asked.flatMap(({ type }) =>
      [...Object.keys(lose), ...Object.keys(narrow)].map(way => [type, way] as const),
    ),
  )('%s does not begin after %s', async ([type, way]) => {
    const { state, error_code } = await ended(ids.get(`${type} ${way}`) ?? '')
    // The erasure of an account also cancels what waits.
    const over = way === 'the account was erased' && state === 'cancelled'
    expect(over ? 'owner_revoked' : error_code).toBe('owner_revoked')
  })

  test.for(asked.flatMap(({ type }) => beginning.map(way => [type, way] as const)))(
    '%s begins: %s',
    async ([type, way]) => {
      const { error_code } = await ended(ids.get(`${type} ${way}`) ?? '')
      expect(error_code).not.toBe('owner_revoked')
    },
  )
})

test.for([
  ['/v1/inference-jobs', 'account'],
  ['/v1/reports', 'account'],
  ['/v1/inference-jobs', 'session'],
  ['/v1/reports', 'session'],
] as const)(
  'a model is not called for an owner without the right, and nothing is charged: %s, %s',
  async ([path, of]) => {
    const resume = await hold(['inference.run', 'generation.report'])
    const one = await world.someone()
    const said = path === '/v1/reports' ? { prompt: 'A report.' } : { model: 'default', input: 'x' }
    const begun = await beginNarrow(world.platform, one, { scope: ['inference.write'] })
    const token = of === 'session' ? begun.token : one.token
    const made = await one.ask('POST', path, said, { key: newKey(), token })
    expect(made.status, made.text).toBe(202)
    if (of === 'account') await lose['the account was disabled']?.({ one, tenant: one.tenant })
    else await one.ask('DELETE', `/v1/sessions/${begun.session_id}`)
    await resume()
    expect(await ended(made.body.job_id)).toEqual({ state: 'failed', error_code: 'owner_revoked' })
    const operation = await kernel.db.one(
      Type.Object({ id: Type.String(), ...Ended.properties }),
      sql`
        select id, state, error_code from inference.inference_operations
        where tenant_id = ${one.tenant.id} and job_id = ${made.body.job_id}`,
    )
    expect(operation).toMatchObject({ state: 'failed', error_code: 'owner_revoked' })
    expect(await world.journal(operation.id)).toEqual([])
    expect(await world.usage(operation.id)).toEqual([])
    expect(await world.held(one.tenant.id)).toBe(0)
  },
)

describe('a workflow that is checked, and waits', () => {
  const type = signalled.jobType({ kernel, needs: {} })
  const permission = signalled.spec.permission ?? ''

  /** It waits for its next signal, and holds no lease. */
  const waits = (job_id: string) =>
    eventually('the run waits', async () => {
      const { state, error_code } = await kernel.db.one(
        Ended,
        sql`
          -- any tenant: the job's own id
          select state, error_code from jobs.jobs where id = ${job_id}`,
      )
      return state === 'retryable' && error_code === null
    })

  /** Signals wake it, until an attempt begins after the grants that it knew are too old. */
  const goOn = (owner: Owner, job_id: string) =>
    eventually('an attempt ends it', async () => {
      const signal = { tenant_id: owner.tenant.id, job_id, name: 'go' }
      const sent = await kernel.db.tx(tx => jobs.signal(tx, signal)).catch(() => null)
      return sent === null
    })

  test.each(Object.keys(lose))('stops at its next attempt after %s', async way => {
    const owner = await guest(['tenant_admin', ...rolesWith(permission)])
    const job_id = await order(type, owner)
    await waits(job_id)
    await lose[way]?.(owner)
    await goOn(owner, job_id)
    const { state, error_code } = await ended(job_id)
    const over = way === 'the account was erased' && state === 'cancelled'
    expect(over ? 'owner_revoked' : error_code).toBe('owner_revoked')
  })

  test('stops when its narrow session has ended, and not before', async () => {
    const owner = await guest(['tenant_admin', ...rolesWith(permission)])
    const { one } = owner
    const { token, session_id } = await beginNarrow(world.platform, one, { scope: [permission] })
    const job_id = await order(type, owner, session_id)
    await waits(job_id)
    await kernel.db.tx(tx => jobs.signal(tx, { tenant_id: owner.tenant.id, job_id, name: 'go' }))
    await eventually('it has read the signal', async () => {
      const rows = await kernel.db.many(
        Type.Object({}),
        sql`
          select from jobs.job_signals
          where tenant_id = ${owner.tenant.id} and job_id = ${job_id} and step is not null`,
      )
      return rows.length === 1
    })
    expect((await one.ask('DELETE', `/v1/sessions/${session_id}`, {}, { token })).status).toBe(204)
    await goOn(owner, job_id)
    expect(await ended(job_id)).toEqual({ state: 'failed', error_code: 'owner_revoked' })
  })
})
