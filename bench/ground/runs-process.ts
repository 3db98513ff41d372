/**
 * A platform in its own process with the workflows of the comparison. It is asked over the channel to
 * its parent, and tells the times from a clock that all processes of the machine share.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { Type } from 'typebox'
import { loadConfig } from '../../src/settings.ts'
import { start } from '../../src/runtime/start.ts'
import type { Face } from '../../src/surfaces/jobs/face.ts'
import { newId, sql, workflow, type Opened } from '#dodeca/kernel'
import { withJobTypes } from '../../test/with-job-types.ts'
import { nowMs } from './answer-beats.ts'
import { productionEnvironment } from './platform.ts'

export type RunsAsked =
  | {
      readonly ask: 'submit'
      readonly type: string
      readonly count: number
      readonly steps: number
    }
  | { readonly ask: 'wake'; readonly count: number; readonly gap_ms: number }
export type RunsSaid = { readonly ms: readonly number[] }

const [, , url = '', concurrency = '20'] = process.argv
const tenant_id = '018f0000-0000-7000-8000-000000000000'
const pool = new pg.Pool({ connectionString: url, max: 1 })
const began = new Map<string, number>()
const woken = new Map<string, number>()

const Writing = Type.Object({ steps: Type.Integer() })
const Waiting = Type.Object({ aggregate_id: Type.String() })
const writes = workflow('bench.writes', 1, { input: Writing }, async (step, { steps }, { id }) => {
  for (let n = 0; n < steps; n++) {
    await step.write(`step ${n}`, tx =>
      tx.run(sql`insert into public.effects (run_id, n) values (${id}, ${n})`),
    )
  }
})
const calls = workflow(
  'bench.calls',
  1,
  { input: Writing, lease_seconds: 5 },
  async (step, { steps }) => {
    for (let n = 0; n < steps; n++) await step.run(`step ${n}`, () => wait(500))
  },
)
const waits = workflow('bench.waits', 1, { input: Waiting }, async (step, { aggregate_id }) => {
  const where = { '/aggregate_id': aggregate_id }
  await step.waitForEvent('event', { type: 'job_type.resumed', where, timeout_seconds: 86_400 })
  await step.write('next', () => Promise.resolve(void woken.set(aggregate_id, nowMs())))
})

const { KERNEL_KEYRING = '', KERNEL_PEPPER = '' } = process.env
const environment = {
  ...productionEnvironment(url),
  KERNEL_KEYRING,
  KERNEL_PEPPER,
  JOBS_CONCURRENCY: concurrency,
  JOBS_TENANT_RUNNING: '1000000',
  JOBS_OPEN_RUNS_PER_TENANT: '1000000',
}
const composition = withJobTypes((_, kernel) =>
  [writes, calls, waits].map(one => one.jobType({ kernel, needs: {} })),
)
const running = await start(loadConfig({}, environment), () => {}, composition)
const { kernel, opened } = running.platform
const { face } = opened['jobs'] as Opened<Face>
await pool.query('create table if not exists public.effects (run_id uuid, n int)')

async function submit(type: string, count: number, steps: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    await kernel.db.tx(async tx => {
      for (let n = at; n < Math.min(count, at + 500); n++) {
        const aggregate_id = newId()
        if (type === 'bench.waits') began.set(aggregate_id, 0)
        const parameters = type === 'bench.waits' ? { aggregate_id } : { steps }
        await face.submit(tx, { tenant_id, type, parameters })
      }
    })
  }
}

async function wake(count: number, gap_ms: number): Promise<number[]> {
  const some = [...began].filter(([, at]) => at === 0).slice(0, count)
  for (const [aggregate_id] of some) {
    await kernel.db.tx(tx => {
      const of = { aggregate_type: 'job_type', aggregate_id, aggregate_version: 1 }
      return Promise.resolve(
        tx.emit({ type: 'job_type.resumed', tenant_id, ...of, data: { type: 'bench' } }),
      )
    })
    began.set(aggregate_id, nowMs())
    await wait(gap_ms)
  }
  while (some.some(([aggregate_id]) => !woken.has(aggregate_id))) await wait(10)
  return some.map(([id]) => (woken.get(id) ?? 0) - (began.get(id) ?? 0))
}

process.on('message', (asked: RunsAsked) => {
  void (async () => {
    const ms = asked.ask === 'wake' ? await wake(asked.count, asked.gap_ms) : []
    if (asked.ask === 'submit') await submit(asked.type, asked.count, asked.steps)
    process.send?.({ ms } satisfies RunsSaid)
  })()
})
process.send?.({ ms: [] } satisfies RunsSaid)
