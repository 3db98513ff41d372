/** graphile-worker as its documentation starts it, plainly or with its local queue and batched ends. */
import { Logger, makeWorkerUtils, run, type Runner } from 'graphile-worker'
import { answerWork } from './answer-work.ts'

const [, , connectionString = '', kind = 'graphile'] = process.argv
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
      taskList: { nothing: payload => hear((payload as { beat_id?: string }).beat_id) },
    })
  },
  settled: async () =>
    await utils.withPgClient(async client => {
      const { rows } = await client.query('select 1 from graphile_worker._private_jobs limit 1')
      return rows.length === 0
    }),
  submit: async beat_id => void (await utils.addJob('nothing', { beat_id })),
  end: async () => {
    await runner?.stop()
    await utils.release()
  },
})
