/** The reader of a stream is ahead of the job: a standby that lacks the last changes has taken over. */
import { afterAll, expect, test } from 'vitest'
import { serverEvents, type ServerEvent } from '../../../../../client/src/server-events.ts'
import { eventually } from '../../../../../test/world.ts'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

test('the stream shows the state of the job again', async () => {
  const { worker, owner, submit } = await workshop(world)
  const id = await submit()
  const leave = new AbortController()
  const { body } = await fetch(`${world.url}/v1/jobs/${id}/events`, {
    headers: { authorization: `Bearer ${owner.token}`, accept: 'text/event-stream' },
    signal: leave.signal,
  })
  if (!body) throw new Error('the stream has no body')
  const seen: ServerEvent[] = []
  const read = async () => {
    for await (const event of serverEvents(body)) seen.push(event)
  }
  const ended = read().catch(() => {})
  await eventually('its first state', () => seen.length > 0)
  const claimed = await worker.take()
  for (const current of [1, 2]) await worker.progress(claimed, { stage: 'rows', current })
  // Changes that come together may be shown as one.
  await eventually('its progress', () => seen.at(-1)?.id === '4')
  await world.query(
    `with lost as (delete from jobs.job_progress where job_id = $1 and sequence > 3)
     update jobs.jobs set last_sequence = 3 where id = $1`,
    [id],
  )
  await eventually('where it is now', () => seen.at(-1)?.id === '3')
  expect(seen.at(-1)).toMatchObject({ event: 'job.state', data: { state: 'running' } })
  leave.abort()
  await ended
})
