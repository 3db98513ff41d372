/**
 * Jobs of the platform in their own process: the product with one type that does nothing, or takes
 * a given time.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { Type } from 'typebox'
import { loadConfig } from '../../../src/settings.ts'
import { start, type Running } from '../../../src/runtime/start.ts'
import type { Inside } from '../../../src/surfaces/jobs/face.ts'
import { newId, type Opened } from '#dodeca/kernel'
import { productionEnvironment } from '../platform.ts'
import { withJobTypes } from '../../../test/with-job-types.ts'
import { answerWork } from './answer-work.ts'
import { load_jobs } from './load-jobs.ts'

const [, , url = '', , work_ms = '0'] = process.argv
const takes_ms = Number(work_ms)
const pool = new pg.Pool({ connectionString: url, max: 1 })
const tenant = '018f0000-0000-7000-8000-000000000000'
let handled: (beat_id?: string) => void = () => {}
let running: Running | undefined

const work = {
  type: 'bench.nothing',
  schema_version: 1,
  parameters: Type.Object({}, { additionalProperties: true }),
  offered: true,
  run: async (job: { parameters: unknown }) => {
    handled((job.parameters as { beat_id?: string }).beat_id)
    if (takes_ms > 0) await wait(takes_ms)
  },
} as const

const begin = async (roles: string) =>
  await start(
    loadConfig(
      {},
      { ...productionEnvironment(url), JOBS_CONCURRENCY: '50', ROLES: roles, ...given() },
    ),
    () => {},
    withJobTypes(() => [work]),
  )

/** What the comparison sets. */
function given(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^(JOBS|KERNEL)_/.test(name))
  return Object.fromEntries(own.map(([name, value]) => [name, value ?? '']))
}

await (await begin('api')).stop()

answerWork({
  load: async (count, tenants) => {
    await pool.query('set statement_timeout = 0')
    for (let left = count; left > 0; left -= 50_000) {
      await pool.query(load_jobs, [Math.min(left, 50_000), tenants])
    }
    await pool.query('vacuum analyze')
  },
  work: async hear => {
    handled = hear
    running = await begin('worker')
  },
  left: async () =>
    await count(`select count(*)::int as n from (select from jobs.job_queue
      union all select from jobs.job_attempts where state = 'running') one`),
  held: async () =>
    await count(`select count(*)::int as n from jobs.job_attempts where state = 'running'`),
  submit: async beat_id => await submit([{ tenant_id: tenant, parameters: { beat_id } }]),
  few: async jobs => {
    const tenant_id = newId()
    await submit(Array.from({ length: jobs }, () => ({ tenant_id, parameters: {} })))
    const open = `select count(*)::int as n from jobs.jobs
      where tenant_id = '${tenant_id}' and completed_at is null`
    while ((await count(open)) > 0) await wait(2)
  },
  end: async () => {
    await running?.stop()
    await pool.end()
  },
})

async function submit(jobs: readonly { tenant_id: string; parameters: object }[]): Promise<void> {
  if (!running) return
  const { kernel, opened } = running.platform
  const { face } = opened['jobs'] as Opened<Inside>
  await kernel.db.tx(async tx => {
    for (const job of jobs) await face.submit(tx, { type: work.type, ...job })
  })
}

async function count(statement: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(statement)
  return rows[0]?.n ?? 0
}
