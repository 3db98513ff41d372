/**
 * Rules: a job at an event, once, with values of the event.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../../test/world.ts'
import { counting, openRulesWorld } from './rules-world.ts'

const world = await openRulesWorld()
afterAll(() => world.close())
const { declared, jobsOf, owner, publish, put, quiet, rule, said, show } = world

test('each matching event makes one job, with values of the event', async () => {
  const [who, type] = [await owner(), await declared()]
  const made = await put(who, 'count', {
    event: type,
    where: [{ at: '/data/amount_minor', is: 'gte', value: 100 }],
    job: { type: 'demo.count', parameters: { to: { $event: '/data/steps' } } },
  })
  expect(made.status, made.text).toBe(201)
  expect(made.headers.get('location')).toBe('/v1/job-rules/count')
  expect(made.body).toMatchObject({ state: 'active', runs: 0, job: { schema_version: 1 } })
  const [first] = await publish(who, type, [
    { amount_minor: 100, steps: 2 },
    { amount_minor: 99, steps: 3 },
    { amount_minor: '500', steps: 4 },
    { steps: 5 },
  ])
  await quiet()
  const jobs = await jobsOf(who)
  expect(jobs).toMatchObject([
    {
      type: 'demo.count',
      state: 'succeeded',
      parameters: { to: 2 },
      idempotency_key: `rule:${made.body.id}:${first}`,
    },
  ])
  expect(await show(who, 'count')).toMatchObject({ runs: 1, missed: 0, last_job_id: jobs[0]?.id })
  const listed = await world.call('GET', '/v1/job-rules', { token: who.token })
  expect(listed.body.data).toMatchObject([{ name: 'count' }])
})

test('events of a noun, of all types and of another tenant; internal types match nothing', async () => {
  const [who, stranger, type] = [await owner(), await owner(), await declared()]
  await rule(who, 'noun', { event: `${type.split('.')[0]}.*` })
  await rule(who, 'all', { event: '*' })
  await publish(stranger, type)
  const [event_id] = await publish(who, type)
  await quiet()
  const keys = (await jobsOf(who)).map(one => one.idempotency_key?.split(':'))
  const noun = await show(who, 'noun')
  const all = await show(who, 'all')
  expect(keys).toContainEqual(['rule', noun.id, event_id])
  expect(keys).toContainEqual(['rule', all.id, event_id])
  // The end of the noun's job starts the other rule, whose own jobs do not start it again.
  expect(keys).toHaveLength(3)
  expect(all).toMatchObject({ runs: 2, state: 'active' })
  expect(await jobsOf(stranger)).toEqual([])
  const internal = await put(who, 'mail', { event: 'identity_mail.requested', job: counting })
  expect([internal.status, internal.body.code]).toEqual([422, 'event_type_unknown'])
})

test('nothing older fires: not before the PUT, not what came while it was paused', async () => {
  const [who, type] = [await owner(), await declared()]
  await publish(who, type)
  await quiet()
  await rule(who, 'late', { event: type, paused: true })
  await publish(who, type)
  await quiet()
  const resumed = await rule(who, 'late', { event: type })
  expect(resumed).toMatchObject({ state: 'active', reason: null })
  const [event_id] = await publish(who, type)
  await quiet()
  expect((await jobsOf(who)).map(one => one.idempotency_key)).toEqual([
    `rule:${resumed.id}:${event_id}`,
  ])
})

test('a rule that publishes what starts it is paused', async () => {
  const [who, type] = [await owner(), await declared()]
  const circle = await rule(who, 'circle', {
    event: type,
    job: { type: 'kernel.publish', parameters: { events: [{ type, data: { again: true } }] } },
  })
  await publish(who, type)
  await eventually('it is paused', async () => (await show(who, 'circle')).state === 'paused')
  expect(await show(who, 'circle')).toMatchObject({ reason: 'too_many_runs', runs: 6 })
  await quiet()
  expect(await jobsOf(who)).toHaveLength(6)
  expect(await said(who, 'job_rule.paused')).toMatchObject([
    { rule_id: circle.id, name: 'circle', reason: 'too_many_runs' },
  ])
})

test('a job that cannot be made is a miss, said once an hour, and stops no other rule', async () => {
  const [who, type] = [await owner(), await declared()]
  const job = (at: string) => ({ type: 'demo.count', parameters: { to: { $event: at } } })
  await rule(who, 'absent', { event: type, job: job('/data/none') })
  await rule(who, 'unfit', { event: type, job: job('/data/text') })
  await rule(who, 'fine', { event: type, job: job('/data/steps') })
  await publish(who, type, [
    { text: 'no number', steps: 1 },
    { text: 'x'.repeat(20_000), steps: 2 },
  ])
  await quiet()
  const made = (await jobsOf(who)).map(one => one.parameters)
  expect(new Set(made)).toEqual(new Set([{ to: 1 }, { to: 2 }]))
  expect(await show(who, 'absent')).toMatchObject({
    state: 'active',
    runs: 0,
    missed: 2,
    last_error_code: 'event_value_missing',
  })
  expect(await show(who, 'unfit')).toMatchObject({ missed: 2, state: 'active' })
  expect(await said(who, 'job_rule.missed')).toHaveLength(2)
  const parks = await world.platform.kernel.db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from kernel.event_parks where consumer = 'jobs.reactions'`,
  )
  expect(parks).toEqual([])
})

test('mistakes are refused at the PUT', async () => {
  const who = await owner()
  const where = (is: string, value?: unknown) => ({
    event: 'account.verified',
    job: counting,
    where: [{ at: '/data/x', is, ...(value === undefined ? {} : { value }) }],
  })
  for (const [body, code] of [
    [where('gt', 'no time'), 'validation_failed'],
    [where('gt', true), 'validation_failed'],
    [where('eq'), 'validation_failed'],
    [where('in', 'a'), 'validation_failed'],
    [where('eq', 'x'.repeat(2000)), 'validation_failed'],
    [where('matches', 'x'), 'validation_failed'],
    [{ event: 'account.imagined', job: counting }, 'event_type_unknown'],
    [{ event: '*', job: { type: 'links.clicks_rebuild' } }, 'unknown_job_type'],
    [{ event: '*', job: { type: 'demo.count', schema_version: 9 } }, 'unsupported_schema_version'],
    [{ event: '*', job: { type: 'demo.count', parameters: { to: 'many' } } }, 'validation_failed'],
    [
      { event: '*', job: { type: 'demo.count', parameters: { x: 'x'.repeat(17_000) } } },
      'content_too_large',
    ],
    [
      {
        event: '*',
        job: {
          type: 'demo.count',
          parameters: { x: Array.from({ length: 51 }, () => ({ $event: '/data/x' })) },
        },
      },
      'validation_failed',
    ],
  ] as const) {
    const answer = await put(who, 'wrong', body)
    expect([JSON.stringify(body).slice(0, 90), answer.body.code]).toEqual([
      JSON.stringify(body).slice(0, 90),
      code,
    ])
  }
})

test('a rule is replaced under its tag, deleted twice, and another one under its name', async () => {
  const [who, type] = [await owner(), await declared()]
  const made = await put(who, 'one', { event: type, job: counting })
  const tag = made.headers.get('etag') ?? ''
  expect(
    (await put(who, 'one', { event: type, job: counting }, { 'if-match': '"9"' })).status,
  ).toBe(412)
  const changed = await put(who, 'one', { event: type, job: counting }, { 'if-match': tag })
  expect([changed.status, changed.body.id, changed.body.version]).toEqual([200, made.body.id, 2])
  const gone = () => world.call('DELETE', '/v1/job-rules/one', { token: who.token })
  expect([(await gone()).status, (await gone()).status]).toEqual([204, 204])
  expect((await show(who, 'one')).code).toBe('job_rule_not_found')
  await publish(who, type)
  await quiet()
  expect(await jobsOf(who)).toEqual([])
  const again = await put(who, 'one', { event: type, job: counting }, { 'if-none-match': '*' })
  expect([again.status, again.body.id === made.body.id, again.body.runs]).toEqual([201, false, 0])
})

test('twenty events at once of one aggregate and of twenty make each one job', async () => {
  const [who, type] = [await owner(), await declared()]
  await rule(who, 'many', { event: type, where: [{ at: '/data/n', is: 'in', value: [1, 2, 3] }] })
  const aggregate_id = newId()
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      publish(who, type, [{ n }], n % 2 ? { aggregate_id } : {}),
    ),
  )
  await quiet()
  expect(await show(who, 'many')).toMatchObject({ runs: 3, missed: 0 })
  expect(await jobsOf(who)).toHaveLength(3)
})
