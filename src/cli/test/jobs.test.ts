/** Jobs on the command line, beside a running platform that sees at once what was done to them. */
import { afterAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openAskingWorld } from '../../surfaces/jobs/test/asking-world.ts'
import { commandsWith } from './in-process.ts'

const world = await openAskingWorld({})
afterAll(() => world.close())

const commands = commandsWith(world.environment)
const run = (...args: string[]) => commands.run(args)
const json = (...args: string[]) => commands.json(args)

test('a job is listed, cancelled, shown and taken up again', async () => {
  const type = await world.idleType()
  await world.query(
    `insert into identity.tenants (id, slug, name)
     select gen_random_uuid(), 'many-' || n, 'many' from generate_series(1, 1000) n`,
    [],
  )
  const [who, other] = [await world.person(), await world.person()]
  const id = await world.submit(who, { type })
  await world.submit(other, { type })
  const { data } = await json('jobs', 'list', `--tenant=${who.tenant.slug}`, '--state=queued')
  expect(data).toMatchObject([{ id, type, waiting_reason: 'no_capable_worker' }])
  expect((await json('jobs', 'list', `--type=${type}`, '--limit=10')).data).toHaveLength(2)
  const cancelled = await json('jobs', 'cancel', id, '--reason=by hand')
  expect(cancelled).toMatchObject({ id, state: 'cancelled' })
  expect((await world.show(who, id)).body.state).toBe('cancelled')
  const { job, history } = await json('jobs', 'show', id)
  expect(job).toEqual(cancelled)
  expect(history).toMatchObject([
    { type: 'submitted' },
    { type: 'cancelled', data: { reason: 'by hand' } },
  ])
  expect((await json('jobs', 'retry', id)).status).toBe('queued')
  const again = await run('jobs', 'retry', id)
  expect([again.code, again.err]).toEqual([
    1,
    expect.stringContaining('The job is retryable. It has not ended yet.'),
  ])
  const acts = await world.query<{ action: string; actor: string }>(
    'select action, actor from kernel.audit_events where target = $1 order by id',
    [id],
  )
  expect(acts.map(one => one.action)).toEqual(['jobs.jobs.cancel', 'jobs.jobs.retry'])
  expect(acts[0]?.actor).toMatch(/^cli:/)
})

test('types are listed, and an unknown one is an error', async () => {
  const type = await world.idleType()
  const { data } = await json('jobs', 'types')
  expect(data).toEqual(
    expect.arrayContaining([expect.objectContaining({ type, kind: 'external', paused: false })]),
  )
  const refusals: [string[], RegExp][] = [
    [['jobs', 'show', newId()], /There is no job .* lists them/],
    [['jobs', 'cancel', 'x'], /There is no job x/],
    [['jobs', 'list', '--tenant=nobody'], /There is no tenant nobody/],
    [['jobs', 'list', '--state=paused'], /--state is one of pending/],
    [['jobs', 'list', '--limit=0'], /--limit is a whole number/],
    [['jobs'], /`dodeca jobs` is followed by list, show, retry, cancel or types/],
  ]
  for (const [args, said] of refusals) {
    const { code, err } = await run(...args)
    expect([code, err]).toEqual([1, expect.stringMatching(said)])
  }
})
