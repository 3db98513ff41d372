/**
 * A queue as a sender of webhooks, the way people build it: one job for each delivery, in it one POST and
 * one row for the attempt. graphile-worker runs so many jobs at a time; pg-boss takes batches and this
 * code sends each batch side by side, as its documentation tells.
 */
import { Logger, makeWorkerUtils, run, type Runner } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import pg from 'pg'
import { Agent, request } from 'undici'
import { newId } from '#dodeca/kernel'

export type RivalAsked =
  | { readonly ask: 'load'; readonly urls: readonly string[]; readonly count: number }
  | { readonly ask: 'work' }

type Job = { readonly id: string; readonly url: string; readonly body: string }

type Queue = { add(jobs: readonly Job[]): Promise<unknown>; work(): Promise<unknown> }

const [, , connectionString = '', kind = 'graphile', places = '64'] = process.argv
const concurrency = Number(places)
const pool = new pg.Pool({ connectionString, max: 10 })
const agent = new Agent({ connections: concurrency, pipelining: 1 })
const filler = 'x'.repeat(900)

await pool.query(`create table attempts (id uuid primary key, job text not null, status int not null,
  at timestamptz not null default now())`)

async function send({ id, url, body }: Job): Promise<void> {
  const headers = { 'content-type': 'application/json', 'webhook-id': id }
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    headers,
    body,
    dispatcher: agent,
  })
  await answer.dump()
  await pool.query({
    name: 'attempt',
    text: 'insert into attempts (id, job, status) values ($1, $2, $3)',
    values: [newId(), id, statusCode],
  })
}

async function openGraphile(): Promise<Queue> {
  const utils = await makeWorkerUtils({ connectionString })
  await utils.migrate()
  let runner: Runner | undefined
  ending.push(
    async () => runner?.stop(),
    async () => utils.release(),
  )
  return {
    add: jobs => utils.addJobs(jobs.map(payload => ({ identifier: 'send', payload }))),
    work: async () => {
      runner = await run({
        connectionString,
        concurrency,
        noHandleSignals: true,
        logger: new Logger(() => () => {}),
        ...(kind === 'graphile-batched'
          ? {
              preset: {
                worker: {
                  localQueue: { size: 500 },
                  completeJobBatchDelay: 0,
                  failJobBatchDelay: 0,
                },
              },
            }
          : {}),
        // It is typed as unknown, and is what was added.
        taskList: { send: payload => send(payload as Job) },
      })
    },
  }
}

async function openPgBoss(): Promise<Queue> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
  boss.on('error', error => process.stderr.write(`${String(error)}\n`))
  await boss.start()
  await boss.createQueue('send')
  ending.push(async () => boss.stop({ graceful: false }))
  return {
    add: jobs =>
      boss.insert(
        'send',
        jobs.map(data => ({ data })),
      ),
    work: async () => {
      const batchSize = Math.ceil(concurrency / 4)
      for (let n = 0; n < 4; n++) {
        await boss.work<Job>('send', { batchSize, pollingIntervalSeconds: 0.5 }, async jobs => {
          await Promise.all(jobs.map(({ data }) => send(data)))
        })
      }
    },
  }
}

const ending: (() => Promise<unknown>)[] = []
const queue = await (kind === 'pg-boss' ? openPgBoss() : openGraphile())

async function load(urls: readonly string[], count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, at): Job => {
    const id = newId()
    return { id, url: urls[at % urls.length] ?? '', body: `{"id":"${id}","data":"${filler}"}` }
  })
  for (let at = 0; at < count; at += 1000) await queue.add(jobs.slice(at, at + 1000))
  await pool.query('vacuum analyze')
}

process.on('message', (asked: RivalAsked) => {
  const answer = asked.ask === 'load' ? load(asked.urls, asked.count) : queue.work()
  void answer.then(() => process.send?.({ done: true }))
})
let leaving = false
const leave = async () => {
  if (leaving) return
  leaving = true
  for (const end of ending) await end()
  process.exit(0)
}
process.once('disconnect', () => void leave())
process.once('SIGTERM', () => void leave())
process.send?.({ ready: {} })
