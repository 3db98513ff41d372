/** What wakes a loop. */
import { expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { sql } from '../../database/sql.ts'
import { openLog } from '../../observability/log.ts'
import { startLoops } from '../run-loops.ts'
import { clock_topic, openSleepers } from '../topics.ts'

const day_ms = 86_400_000

test('a wake-up of all topics runs the loops that wait for hints, and no sweep', async () => {
  const runs = { due: 0, topic: 0, sweep: 0 }
  const counted = (name: keyof typeof runs) => ({
    name,
    every_ms: day_ms,
    run: () => Promise.resolve(void runs[name]++),
  })
  const sleepers = openSleepers()
  const loops = startLoops(
    [
      counted('sweep'),
      { ...counted('due'), due: sql`select false` },
      { ...counted('topic'), topics: ['things'] },
    ],
    { log: openLog({ level: 'silent', readable: false }), sleepers },
  )
  await eventually('each has run', () => runs.due + runs.topic + runs.sweep === 3)
  sleepers.wake('all')
  await eventually('those with hints run', () => runs.due + runs.topic === 4)
  sleepers.wake(new Set(['things']))
  await eventually('the topic runs its loop', () => runs.topic === 3)
  expect(runs).toEqual({ due: 2, topic: 3, sweep: 1 })
  sleepers.wake(new Set([clock_topic]))
  await eventually('a moved clock runs the sweep', () => runs.sweep === 2)
  sleepers.wake(new Set(['sweep']))
  await eventually('so does its own name', () => runs.sweep === 3)
  await loops.stop()
})
