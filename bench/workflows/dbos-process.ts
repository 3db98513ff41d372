/**
 * DBOS in its own process, as its documentation starts it: workflows of steps that write through a data
 * source, the one kind of step that has its effect exactly once there. DBOS publishes data sources for
 * query builders only, so the one for `pg` is here, on the interface that DBOS exports for it. It sends
 * what the published ones send: a look for a recorded output, and in one transaction the effect and
 * its output. DBOS itself looks and records around it, in its own tables.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { DBOS } from '@dbos-inc/dbos-sdk'
import {
  migrateDataSourcePG,
  registerDataSource,
  replayRecordedStep,
  runTransaction,
  type DataSourceTransactionHandler,
} from '@dbos-inc/dbos-sdk/datasource'
import pg from 'pg'

export type DbosAsked = {
  readonly count: number
  readonly steps: number
  readonly together: number
}
export type DbosSaid = { readonly seconds: number }

const [, , url = ''] = process.argv
const pool = new pg.Pool({ connectionString: url, max: 20 })
const here = new AsyncLocalStorage<pg.ClientBase>()

type Recorded = { readonly output: string | null; readonly error: string | null }

const source: DataSourceTransactionHandler = {
  name: 'pg',
  initialize: async () => {
    const client = await pool.connect()
    await client.query('begin')
    await migrateDataSourcePG(async text => (await client.query(text)).rows as never)
    await client.query('commit')
    client.release()
  },
  destroy: () => pool.end(),
  invokeTransactionFunction: async (_config, target, effect, ...given) => {
    const key = [DBOS.workflowID, DBOS.stepID]
    const { rows } = await pool.query<Recorded>(
      `select output, error from dbos.transaction_completion
       where workflow_id = $1 and function_num = $2`,
      key,
    )
    if (rows[0]) return replayRecordedStep(rows[0])
    const client = await pool.connect()
    try {
      await client.query('begin')
      const result = await here.run(client, () => effect.call(target, ...given))
      await client.query(
        `insert into dbos.transaction_completion (workflow_id, function_num, output)
         values ($1, $2, $3) on conflict (workflow_id, function_num) do nothing
         returning workflow_id`,
        [...key, JSON.stringify({ json: result ?? null })],
      )
      await client.query('commit')
      return result
    } finally {
      client.release()
    }
  },
}

const writes = DBOS.registerWorkflow(
  async (steps: number) => {
    for (let n = 0; n < steps; n++) {
      const effect = async () => {
        const values = [DBOS.workflowID, n]
        await here
          .getStore()
          ?.query('insert into public.effects (run_id, n) values ($1, $2)', values)
      }
      await runTransaction(effect, `step ${n}`, { dsName: source.name })
    }
  },
  { name: 'writes' },
)

registerDataSource(source)
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error' })
await DBOS.launch()
await pool.query('create table if not exists public.effects (run_id uuid, n int)')

/** So many runs at a time, each started as soon as another has ended. */
async function run({ count, steps, together }: DbosAsked): Promise<DbosSaid> {
  const began_ms = performance.now()
  let left = count
  const some = async () => {
    while (left-- > 0) await (await DBOS.startWorkflow(writes)(steps)).getResult()
  }
  await Promise.all(Array.from({ length: together }, some))
  return { seconds: (performance.now() - began_ms) / 1000 }
}

process.on('message', (asked: DbosAsked) => void run(asked).then(said => process.send?.(said)))
process.send?.({ seconds: 0 } satisfies DbosSaid)
