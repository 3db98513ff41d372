/**
 * The engine with work of its own: the product with types that tests steer, and jobs of as many tenants
 * as a test makes. `effects` is a table that handlers write to, so that a test sees what was committed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { loadConfig } from '../../../../settings.ts'
import { newId, type Check, type Opened } from '#dodeca/kernel'
import { type Kernel, settings as own } from '../../settings.ts'
import { start, type Running } from '../../../../runtime/start.ts'
import { cloneDatabase, eventually } from '../../../../../test/world.ts'
import type { Inside, JobOrder } from '../../face.ts'
import { engineComposition } from './engine-composition.ts'

export type JobRow = {
  id: string
  tenant_id: string
  state: string
  version: number
  attempt_count: number
  failures: number
  losses: number
  error_code: string | null
  result_ref: string | null
}

type Engined = { readonly face: Inside; readonly checks: readonly Check[] }

export type EngineWorld = Engined & {
  readonly kernel: Kernel
  readonly running: Running
  readonly database_url: string
  readonly environment: Record<string, string>
  submit(order: Partial<JobOrder> & { type: string }): Promise<string>
  submitMany(count: number, order: Partial<JobOrder> & { type: string }): Promise<string[]>
  query<T>(text: string, values?: unknown[]): Promise<T[]>
  job(id: string): Promise<JobRow>
  /** Waits until a job is in this state. */
  reached(id: string, state: string, limit_ms?: number): Promise<JobRow>
  /** Types of the events of a job, in their order. */
  history(id: string): Promise<string[]>
  /** How often each completion event of a job was announced. */
  announced(id: string): Promise<string[]>
  check(): Promise<void>
  close(): Promise<void>
}

export async function openEngineWorld(settings: Record<string, string> = {}): Promise<EngineWorld> {
  const clone = await cloneDatabase('product_template')
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-engine-'))
  const environment = {
    ...clone.environment,
    DATA_DIR: data_dir,
    PORT: '0',
    PUBLIC_URL: 'http://dodeca.test',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    KERNEL_RATE_FACTOR: '10000',
    KERNEL_SANDBOX: 'false',
    KERNEL_OVERLOAD_DELAY_MS: '60000',
    // Races are many at once; on a busy machine they wait for a connection, which is not what is tested.
    KERNEL_DATABASE_WAIT_MS: '20000',
    ...settings,
  }
  const running = await start(loadConfig({}, environment), () => {}, engineComposition)
  const { face, checks = [] } = running.platform.opened['jobs'] as Opened<Inside>
  const kernel = running.platform.kernelFor({ settings: own })
  const pool = new pg.Pool({ connectionString: clone.url, max: 3 })
  pool.on('error', () => {})
  await pool.query(
    'create table if not exists public.effects (job_id uuid, attempt_no int, note text)',
  )
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as T[]
  const world = { kernel, query, face, checks }
  return {
    ...world,
    running,
    database_url: clone.url,
    environment: { ...environment, ...clone.beside },
    ...looks(query),
    ...submissions(world),
    check: async () => {
      for (const check of checks) expect(await check.run()).toEqual([])
    },
    close: async () => {
      await running.stop()
      await pool.end()
      await clone.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

type Query = EngineWorld['query']

function looks(query: Query) {
  const job = async (id: string): Promise<JobRow> => {
    const [row] = await query<JobRow>(
      `select id, tenant_id, state, version, attempt_count, failures, losses, error_code, result_ref
       from jobs.jobs where id = $1`,
      [id],
    )
    if (!row) throw new Error(`no job ${id}`)
    return row
  }
  const names = async (text: string, id: string) =>
    (await query<{ type: string }>(text, [id])).map(row => row.type)
  return {
    job,
    reached: (id: string, state: string, limit_ms?: number) =>
      eventually(
        `job ${id} is ${state}`,
        async () => {
          const row = await job(id)
          return row.state === state && row
        },
        limit_ms,
      ),
    history: (id: string) =>
      names('select type from jobs.job_events where job_id = $1 order by sequence', id),
    announced: (id: string) =>
      names(
        `select type from (
           select type, occurred_at from kernel.events where aggregate_id = $1
           union all select type, occurred_at from kernel.outbox_events where aggregate_id = $1
         ) e order by occurred_at`,
        id,
      ),
  }
}

function submissions({ kernel, face }: Engined & { kernel: Kernel }) {
  const orderOf = (order: Partial<JobOrder> & { type: string }): JobOrder => ({
    tenant_id: newId(),
    ...order,
  })
  return {
    submit: async (order: Partial<JobOrder> & { type: string }) =>
      (await kernel.db.tx(tx => face.submit(tx, orderOf(order)))).id,
    submitMany: async (count: number, order: Partial<JobOrder> & { type: string }) => {
      const whole = orderOf(order)
      return await kernel.db.tx(async tx => {
        const ids: string[] = []
        for (let n = 0; n < count; n++) ids.push((await face.submit(tx, whole)).id)
        return ids
      })
    },
  }
}
