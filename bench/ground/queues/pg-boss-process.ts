/** pg-boss with batches of a hundred and four workers, which poll as often as it permits. */
import { setTimeout as wait } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import pg from 'pg'
import { answerWork } from './answer-work.ts'

const [, , connectionString = '', , work_ms = '0'] = process.argv
const takes_ms = Number(work_ms)
const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
boss.on('error', error => process.stderr.write(`${String(error)}\n`))
await boss.start()
await boss.createQueue('nothing')
const pool = new pg.Pool({ connectionString, max: 1 })

answerWork({
  load: async count => {
    const data = { text: 'x'.repeat(186) }
    for (let left = count; left > 0; left -= 1000) {
      const jobs = Array.from({ length: Math.min(left, 1000) }, () => ({ data }))
      await boss.insert('nothing', jobs)
    }
    await pool.query('vacuum analyze')
  },
  work: async hear => {
    for (let n = 0; n < 4; n++) {
      await boss.work<{ beat_id?: string }>(
        'nothing',
        { batchSize: 100, pollingIntervalSeconds: 0.5 },
        async jobs => {
          for (const { data } of jobs) hear(data.beat_id)
          if (takes_ms > 0) await wait(takes_ms)
        },
      )
    }
  },
  left: async () => await count(`state in ('created', 'active', 'retry')`),
  held: async () => await count(`state = 'active'`),
  submit: async beat_id => void (await boss.send('nothing', { beat_id })),
  end: async () => {
    await boss.stop({ graceful: false })
    await pool.end()
  },
})

async function count(condition: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from pgboss.job where ${condition}`,
  )
  return rows[0]?.n ?? 0
}
