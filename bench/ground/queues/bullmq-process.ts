/** BullMQ on a Redis of its own, with its jobs kept or removed once they are done. */
import { Queue, Worker } from 'bullmq'
import { answerWork } from './answer-work.ts'

const [, , url = '', kind = 'bullmq'] = process.argv
const { hostname: host, port } = new URL(url)
const connection = { host, port: Number(port), maxRetriesPerRequest: null }
const queue = new Queue<{ beat_id?: string; text?: string }>('nothing', { connection })
const removeOnComplete = kind === 'bullmq'
const opts = { removeOnComplete, attempts: 5 }
let worker: Worker<{ beat_id?: string }> | undefined

answerWork({
  load: async count => {
    const job = { name: 'nothing', data: { text: 'x'.repeat(186) }, opts }
    for (let left = count; left > 0; left -= 1000) {
      await queue.addBulk(Array.from({ length: Math.min(left, 1000) }, () => job))
    }
  },
  work: async hear => {
    worker = new Worker('nothing', async ({ data }) => hear(data.beat_id), {
      connection,
      concurrency: 50,
    })
    await worker.waitUntilReady()
  },
  settled: async () => {
    const counts = await queue.getJobCounts('active', 'waiting')
    return counts['active'] === 0 && counts['waiting'] === 0
  },
  submit: async beat_id => void (await queue.add('nothing', { beat_id }, opts)),
  end: async () => {
    await worker?.close()
    await queue.close()
  },
})
