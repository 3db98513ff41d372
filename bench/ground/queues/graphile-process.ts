/** graphile-worker as its documentation starts it, plainly or with its local queue and batched ends. */
import { setTimeout as wait } from 'node:timers/promises'
import { Logger, makeWorkerUtils, run, type Runner } from 'graphile-worker'
import { answerWork } from './answer-work.ts'

const [, , connectionString = '', kind = 'graphile', work_ms = '0'] = process.argv
const takes_ms = Number(work_ms)
const batched = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
const utils = await makeWorkerUtils({ connectionString })
await utils.migrate()
let runner: Runner | undefined

answerWork({
  load: async count => {
    const job = { identifier: 'nothing', payload: { text: 'x'.repeat(186) } }
    for (let left = count; left > 0; left -= 1000) {
      await utils.addJobs(Array.from({ length: Math.min(left, 1000) }, () => job))
    }
    await utils.withPgClient(async client => void (await client.query('vacuum analyze')))
  },
  work: async hear => {
    runner = await run({
      connectionString,
      concurrency: 50,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      ...(kind === 'graphile-batched' ? { preset: { worker: batched } } : {}),
      taskList: {
        nothing: async payload => {
          hear((payload as { beat_id?: string }).beat_id)
          if (takes_ms > 0) await wait(takes_ms)
        },
      },
    })
  },
  left: async () => await count('true'),
  held: async () => await count('locked_at is not null'),
  submit: async beat_id => void (await utils.addJob('nothing', { beat_id })),
  end: async () => {
    await runner?.stop()
    await utils.release()
  },
})

async function count(condition: string): Promise<number> {
  return await utils.withPgClient(async client => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from graphile_worker._private_jobs where ${condition}`,
    )
    return rows[0]?.n ?? 0
  })
}
