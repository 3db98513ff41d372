/**
 * People who ask for jobs over HTTP, before the real engine. Types that are registered for outside workers
 * wait for ever here, because there is no such worker; types of the engine's tests run, and can be held.
 */
import pg from 'pg'
import { expect } from 'vitest'
import { type Kernel, settings as table } from '../settings.ts'
import { newId, type JobType, type Opened } from '#dodeca/kernel'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { withJobTypes } from '../../../../test/with-job-types.ts'
import { eventually, newKey, type Answer, type Ask } from '../../../../test/world.ts'
import type { Inside } from '../face.ts'
import { toils } from '../attempts/test/toils.ts'
import { runs } from '../steps/test/runs.ts'

export type AskingWorld = {
  readonly url: string
  readonly kernel: Kernel
  readonly face: Inside
  readonly platform: ProductWorld['platform']
  readonly identity: ProductWorld['identity']
  readonly database_url: string
  readonly data_dir: string
  /** What a process of this world is configured with, for one more beside it. */
  readonly environment: Record<string, string>
  /** Holds what those who operate the platform hold about jobs. */
  readonly operator: Member
  call(method: string, path: string, ask?: Ask): Promise<Answer>
  /** A member of a new tenant, or of the one given, who holds these. */
  person(grants?: readonly string[], tenant?: Tenant): Promise<Member>
  /** Gives built-in roles. */
  readonly give: ProductWorld['give']
  readonly allow: ProductWorld['allow']
  /** Submits over HTTP with a new key. */
  order(who: Member, body: object, key?: string): Promise<Answer>
  /** Submits what must succeed; answers the id. */
  submit(who: Member, body: object): Promise<string>
  show(who: Member, id: string): Promise<Answer>
  /** Registers a type that no worker runs; answers its name. */
  idleType(more?: object): Promise<string>
  query<T>(text: string, values?: unknown[]): Promise<T[]>
  /** Types of the events of a job, in their order. */
  history(id: string): Promise<string[]>
  reached(who: Member, id: string, state: string): Promise<Answer['body']>
  check(): Promise<void>
  close(): Promise<void>
}

export const all_of_jobs = [
  'jobs.jobs.submit:*',
  'jobs.jobs.read:*',
  'jobs.jobs.cancel:*',
  'jobs.jobs.retry:*',
  'jobs.jobs.update:*',
  'jobs.results.read:*',
]

const all_of_types = ['jobs.types.read', 'jobs.types.write', 'jobs.types.pause', 'jobs.stats.read']

/** With settings or types it is a platform of its own, which runs the types of the engine's tests too. */
export async function openAskingWorld(
  settings?: Record<string, string>,
  types?: readonly JobType[],
): Promise<AskingWorld> {
  const own = settings ?? types
  const world = await openProductWorld(
    own && (settings ?? {}),
    own && withJobTypes((_, kernel) => [...toils, ...runs(kernel), ...(types ?? [])]),
  )
  const { face, checks = [] } = world.platform.opened['jobs'] as Opened<Inside>
  const kernel = world.platform.kernelFor({ settings: table })
  const pool = new pg.Pool({ connectionString: world.database_url, max: 4 })
  pool.on('error', () => {})
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as T[]
  const person: AskingWorld['person'] = async (grants, tenant) => {
    const member = await world.member(tenant)
    await world.allow(member, ...(grants ?? all_of_jobs))
    return member
  }
  const operator = await person(all_of_types)
  const order: AskingWorld['order'] = ({ token }, body, key = newKey()) =>
    world.call('POST', '/v1/jobs', { token, key, body })
  const show: AskingWorld['show'] = ({ token }, id) =>
    world.call('GET', `/v1/jobs/${id}`, { token })
  return {
    ...world,
    kernel,
    face,
    operator,
    person,
    order,
    show,
    query,
    submit: async (who, body) => {
      const { status, text, body: job } = await order(who, body)
      if (status !== 202) throw new Error(`no job: ${text}`)
      return job.id
    },
    idleType: async (more = {}) => {
      const type = `idle.${newId()}`
      const body = { schema_version: 1, parameters_schema: { type: 'object' }, ...more }
      const ask = { token: operator.token, body }
      const { status, text } = await world.call('PUT', `/v1/job-types/${type}`, ask)
      if (status !== 201) throw new Error(`no type: ${text}`)
      return type
    },
    history: async id => {
      const rows = await query<{ type: string }>(
        'select type from jobs.job_events where job_id = $1 order by sequence',
        [id],
      )
      return rows.map(row => row.type)
    },
    reached: (who, id, state) =>
      eventually(`job ${id} is ${state}`, async () => {
        const { body } = await show(who, id)
        return body.state === state && body
      }),
    check: async () => {
      for (const check of checks) expect(await check.run()).toEqual([])
    },
    close: async () => {
      await pool.end()
      await world.close()
    },
  }
}
