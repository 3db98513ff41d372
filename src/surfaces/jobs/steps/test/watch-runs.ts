/** What tests do with runs, and what they see of them. */
import { eventually } from '../../../../../test/world.ts'
import type { EngineWorld } from '../../attempts/test/engine-world.ts'

type Listed = { readonly kind: string; readonly name: string; readonly [member: string]: unknown }
type StepRow = { state: string; attempts: number; kind: string; name: string; position: number }

export type Runs = ReturnType<typeof runsOf>

export function runsOf(world: EngineWorld) {
  const { query, kernel, face } = world
  const tenantOf = async (id: string) => (await world.job(id)).tenant_id
  const step = async (id: string, name: string) => {
    const [row] = await query<StepRow>(
      'select * from jobs.job_steps where job_id = $1 and name = $2',
      [id, name],
    )
    return row
  }
  return {
    step,
    submit: (...steps: readonly Listed[]) =>
      world.submit({ type: 'test.listed', parameters: { steps } }),
    /** As a deployment changes the body of a run. */
    edit: (id: string, ...steps: readonly Listed[]) =>
      query('update jobs.job_inputs set parameters = $2 where job_id = $1', [
        id,
        JSON.stringify({ steps }),
      ]),
    effects: async (id: string) =>
      (
        await query<{ note: string }>(
          'select note from public.effects where job_id = $1 order by note',
          [id],
        )
      ).map(row => row.note),
    steps: async (id: string) =>
      (
        await query<StepRow>(
          `select * from jobs.job_steps where job_id = $1
           order by sequence`,
          [id],
        )
      ).map(row => `${row.name} ${row.kind} ${row.state}`),
    result: async (id: string) => {
      const [row] = await query<{ body: Buffer }>(
        'select r.body from jobs.job_results r join jobs.jobs j on j.result_ref = r.id where j.id = $1',
        [id],
      )
      return row && (JSON.parse(row.body.toString()) as unknown)
    },
    /** The run waits for this step, and holds no lease. */
    waiting: (id: string, name: string) =>
      eventually(`${name} of ${id} waits`, async () => {
        const row = await step(id, name)
        return row?.state === 'waiting' && (await world.job(id)).state === 'retryable'
      }),
    openWaits: async (id: string) =>
      (await query('select from jobs.step_waits where job_id = $1', [id])).length,
    children: async (id: string) =>
      (
        await query<{ job_id: string }>(
          'select job_id from jobs.runs where parent_job_id = $1 order by job_id',
          [id],
        )
      ).map(row => row.job_id),
    signal: async (id: string, name: string, data?: unknown) => {
      const tenant_id = await tenantOf(id)
      return await kernel.db.tx(tx => face.signal(tx, { tenant_id, job_id: id, name, data }))
    },
    cancel: async (id: string) => {
      const tenant_id = await tenantOf(id)
      return await kernel.db.tx(tx => face.cancel(tx, { tenant_id, job_id: id }))
    },
    retry: (id: string) => face.operator.retry(id, 'test'),
  }
}
