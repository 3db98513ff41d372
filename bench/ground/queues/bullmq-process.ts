/**
 * BullMQ on a Redis of its own or on PostgreSQL, whichever the address names, with its jobs kept or
 * removed once they are done.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  createPostgresBackend,
  Queue,
  setDefaultBackendFactory,
  Worker,
  type ConnectionOptions,
} from 'bullmq'
import { answerWork } from './answer-work.ts'

const [, , url = '', kind = 'bullmq', work_ms = '0'] = process.argv
const takes_ms = Number(work_ms)
const { protocol, hostname: host, port } = new URL(url)
const on_postgres = protocol.startsWith('postgres')
if (on_postgres) setDefaultBackendFactory(createPostgresBackend)
// Its types know the connections of Redis only.
const connection = (
  on_postgres
    ? { connectionString: url, max: 20, migrate: true }
    : { host, port: Number(port), maxRetriesPerRequest: null }
) as ConnectionOptions
const queue = new Queue<{ beat_id?: string; text?: string }>('nothing', { connection })
await queue.waitUntilReady()
const opts = { removeOnComplete: kind === 'bullmq', attempts: 5 }
let worker: Worker<{ beat_id?: string }> | undefined

answerWork({
  load: async count => {
    const job = { name: 'nothing', data: { text: 'x'.repeat(186) }, opts }
    for (let left = count; left > 0; left -= 1000) {
      await queue.addBulk(Array.from({ length: Math.min(left, 1000) }, () => job))
    }
  },
  work: async hear => {
    const run = async ({ data }: { data: { beat_id?: string } }) => {
      hear(data.beat_id)
      if (takes_ms > 0) await wait(takes_ms)
    }
    worker = new Worker('nothing', run, { connection, concurrency: 50 })
    await worker.waitUntilReady()
  },
  left: async () => {
    const { active = 0, waiting = 0 } = await queue.getJobCounts('active', 'waiting')
    return active + waiting
  },
  held: async () => (await queue.getJobCounts('active'))['active'] ?? 0,
  submit: async beat_id => void (await queue.add('nothing', { beat_id }, opts)),
  end: async () => {
    await worker?.close()
    await queue.close()
  },
})
