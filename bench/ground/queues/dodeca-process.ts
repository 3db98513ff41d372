/** Jobs of the platform in a process of their own: the product with one type that does nothing. */
import pg from 'pg'
import { Type } from 'typebox'
import { loadConfig } from '../../../src/config.ts'
import { composition, start, type Running } from '../../../src/start.ts'
import type { Face } from '../../../src/surfaces/jobs/face.ts'
import type { Kernel, Opened } from '../../../src/kernel/surface.ts'
import { productionEnvironment } from '../platform.ts'
import { answerWork } from './answer-work.ts'
import { load_jobs } from './load-jobs.ts'

const [, , url = ''] = process.argv
const pool = new pg.Pool({ connectionString: url, max: 1 })
let handled: (beat_id?: string) => void = () => {}
let face: Face | undefined
let running: Running | undefined

const work = {
  type: 'bench.nothing',
  schema_version: 1,
  parameters: Type.Object({}, { additionalProperties: true }),
  offered: true,
  run: async (job: { parameters: unknown }) => {
    handled((job.parameters as { beat_id?: string }).beat_id)
  },
} as const

const begin = async (roles: string) =>
  await start(
    loadConfig(
      {},
      { ...productionEnvironment(url), JOBS_CONCURRENCY: '50', ROLES: roles, ...jobSettings() },
    ),
    () => {},
    {
      surfaces: composition.surfaces,
      open: (kernel: Kernel) => {
        const all = composition.open(kernel)
        const at = composition.surfaces.findIndex(one => one.name === 'jobs')
        // A composition opens its surfaces in the order in which it names them.
        face = (all.opened[at] as Opened<Face>).face
        face.offer([work])
        return all
      },
    },
  )

function jobSettings(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('JOBS_'))
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
  settled: async () => {
    const { rows } = await pool.query<{ left: boolean }>(
      `select exists (select from jobs.job_attempts where state = 'running')
         or exists (select from jobs.job_queue) as left`,
    )
    return rows[0]?.left === false
  },
  submit: async beat_id => {
    await running?.platform.kernel.db.tx(async tx => {
      await face?.submit(tx, { tenant_id: tenant, type: work.type, parameters: { beat_id } })
    })
  },
  end: async () => {
    await running?.stop()
    await pool.end()
  },
})

const tenant = '018f0000-0000-7000-8000-000000000000'
