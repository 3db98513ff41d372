/**
 * Rules: a job at an event, once, under the rights that its owner has then. Types and events are
 * those of the platform and declared ones; jobs are real.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow, rescope } from '../../../../../test/narrow.ts'
import { openProductWorld, type Member } from '../../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../../test/world.ts'

const world = await openProductWorld({ JOBS_RULE_RUNS_PER_HOUR: '6' })
afterAll(() => world.close())
const { db } = world.platform.kernel

const rights = [
  'kernel.events.publish:*',
  'jobs.rules.write:*',
  'jobs.jobs.read:*',
  'webhooks.events.read:*',
]

let operator: Member
beforeAll(async () => {
  operator = await world.member()
  await world.allow(operator, 'kernel.event_types.write', 'kernel.events.publish_any:*')
})

async function owner(...more: string[]): Promise<Member> {
  const member = await world.member()
  await world.allow(member, ...rights, ...more)
  return member
}

async function declared(): Promise<string> {
  const type = `deal_${newId().slice(-12)}.won`
  const body = { description: 'A deal was won.', schema: { type: 'object' } }
  const answer = await world.call('PUT', `/v1/event-types/${type}`, { token: operator.token, body })
  expect(answer.status, answer.text).toBe(201)
  return type
}

const counting = { type: 'demo.count', parameters: { to: 1 } }

const put = (who: Pick<Member, 'token'>, name: string, body: object, headers = {}) =>
  world.call('PUT', `/v1/job-rules/${name}`, { token: who.token, body, headers })

async function rule(who: Pick<Member, 'token'>, name: string, body: object) {
  const answer = await put(who, name, { job: counting, ...body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

const show = async (who: Pick<Member, 'token'>, name: string) =>
  (await world.call('GET', `/v1/job-rules/${name}`, { token: who.token })).body

const publish = async (who: Member, type: string, data: object[] = [{}], more: object = {}) => {
  const events = data.map(one => ({ type, data: one, ...more }))
  const answer = await world.call('POST', '/v1/events', {
    token: who.token,
    key: newKey(),
    body: { events },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.event_ids as string[]
}

const Job = Type.Object({
  id: Type.String(),
  type: Type.String(),
  state: Type.String(),
  error_code: Type.Union([Type.String(), Type.Null()]),
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  parameters: Type.Unknown(),
})

/** The jobs of rules in the tenant, oldest first. */
const jobsOf = (who: Pick<Member, 'tenant'>) =>
  db.many(
    Job,
    sql`
      select j.id, j.type, j.state, j.error_code, j.idempotency_key, i.parameters
      from jobs.jobs j left join jobs.job_inputs i on i.job_id = j.id
      where j.tenant_id = ${who.tenant.id} and j.operation = 'rule' order by j.id`,
  )

/** All events so far were handled: the ends of jobs that they made, too. */
async function quiet(): Promise<void> {
  await eventually('the consumer is at the head, and no job waits', async () => {
    const { rest } = await db.one(
      Type.Object({ rest: Type.Integer() }),
      sql`
        select (select count(*) from kernel.outbox_events)::int
          + (select count(*) from kernel.event_consumers c
              join kernel.events e on e.lane = c.lane and e.position > c.position
              where c.consumer = 'jobs.reactions')::int
          + (select count(*) from jobs.jobs where completed_at is null
              and scheduled_at is null)::int as rest`,
    )
    return rest === 0
  })
}

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
  const said = await db.many(
    Type.Object({ payload: Type.Unknown() }),
    sql`
      select payload from kernel.events
      where tenant_id = ${who.tenant.id} and type = 'job_rule.paused'`,
  )
  expect(said).toMatchObject([
    { payload: { rule_id: circle.id, name: 'circle', reason: 'too_many_runs' } },
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
  expect((await jobsOf(who)).map(one => one.parameters)).toEqual([{ to: 1 }, { to: 2 }])
  expect(await show(who, 'absent')).toMatchObject({
    state: 'active',
    runs: 0,
    missed: 2,
    last_error_code: 'event_value_missing',
  })
  expect(await show(who, 'unfit')).toMatchObject({ missed: 2, state: 'active' })
  const said = await db.many(
    Type.Object({ reason: Type.String() }),
    sql`
      select payload ->> 'reason' as reason from kernel.events
      where tenant_id = ${who.tenant.id} and type = 'job_rule.missed' order by position`,
  )
  expect(said.map(one => one.reason)).toHaveLength(2)
  const parks = await db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from kernel.event_parks where consumer = 'jobs.reactions'`,
  )
  expect(parks).toEqual([])
})

type Lose = (one: { readonly who: Member; readonly token: string }) => Promise<unknown>
const ways: readonly (readonly [string, 'person' | 'client', Lose])[] = [
  [
    'the role was taken away',
    'person',
    ({ who }) =>
      db.run(sql`
        delete from identity.role_assignments
        where tenant_id = ${who.tenant.id} and account_id = ${who.id}`),
  ],
  [
    'the account was disabled',
    'person',
    ({ who }) =>
      world.identity.administration.disableAccount(
        { tenant: who.tenant.slug, account: who.id },
        'test',
      ),
  ],
  [
    'the tenant was disabled',
    'person',
    ({ who }) => world.identity.administration.disableTenant(who.tenant.slug, 'test'),
  ],
  ['the scope lost the right', 'client', ({ who }) => rescope(world.platform, who.id, 'jobs.read')],
  [
    'the session ended',
    'client',
    async ({ token }) => {
      const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      expect((await world.call('DELETE', `/v1/sessions/${sid}`, { token })).status).toBe(204)
    },
  ],
]

test.each(ways)('a rule makes no job and is disabled: %s', async (_way, by, lose) => {
  const [who, type] = [await owner(), await declared()]
  const scope = ['jobs.rules.write:demo.count', `webhooks.events.read:${type}`]
  const begun =
    by === 'client' ? await beginNarrow(world.platform, who, { scope, client_id: 'app' }) : who
  const made = await rule(begun, 'mine', { event: type })
  await lose({ who, token: begun.token })
  const event = { type, data: {}, tenant_id: who.tenant.id }
  await db.tx(async tx => {
    tx.emit({
      ...event,
      aggregate_type: 'deal',
      aggregate_id: newId(),
      aggregate_version: 1,
      schema_version: 1,
    })
  })
  await quiet()
  expect(await jobsOf(who)).toEqual([])
  const row = await db.one(
    Type.Object({ state: Type.String(), reason: Type.Unknown() }),
    sql`
      select state, reason from jobs.job_rules
      where tenant_id = ${who.tenant.id} and id = ${made.id}`,
  )
  expect(row).toEqual({ state: 'disabled', reason: 'owner_revoked' })
})

test('the rights are asked again at the attempt, within the scope of the session', async () => {
  const [who, type] = [await owner(), await declared()]
  const narrow = await beginNarrow(world.platform, who, {
    scope: ['jobs.rules.write:*', `webhooks.events.read:${type}`],
  })
  const event = { type, data: {} }
  // The account may publish, and the session of the rule may not.
  await rule(narrow, 'wide', {
    event: type,
    where: [{ at: '/data/go', is: 'eq', value: true }],
    job: { type: 'kernel.publish', parameters: { events: [event] } },
  })
  await publish(who, type, [{ go: true }])
  await quiet()
  expect(await jobsOf(who)).toMatchObject([{ state: 'failed', error_code: 'owner_revoked' }])

  const later = await owner()
  await rule(later, 'later', { event: type, job: { ...counting, delay_seconds: 1 } })
  await publish(later, type)
  await eventually('the job waits', async () => (await jobsOf(later)).length === 1)
  await db.run(sql`
    delete from identity.role_assignments
    where tenant_id = ${later.tenant.id} and account_id = ${later.id}`)
  const over = await eventually('the job has ended', async () => {
    const [job] = await jobsOf(later)
    return job?.state === 'failed' && job
  })
  expect(over.error_code).toBe('owner_revoked')
})

test('a PUT needs the right for both types and for the events, and makes the caller the owner', async () => {
  const [who, type] = [await owner(), await declared()]
  await rule(who, 'shared', { event: type })
  const clerk = await world.member(who.tenant)
  const may = ['jobs.rules.write:kernel.publish', `webhooks.events.read:${type}`]
  await world.allow(clerk, ...may)
  const job = { type: 'kernel.publish', parameters: { events: [{ type, data: {} }] } }
  const over = await put(clerk, 'shared', { event: type, job })
  expect([over.status, over.body.permission]).toEqual([403, 'jobs.rules.write:demo.count'])
  const to = await put(clerk, 'own', { event: type, job: counting })
  expect([to.status, to.body.permission]).toEqual([403, 'jobs.rules.write:demo.count'])
  const unread = await put(clerk, 'own', { event: 'account.verified', job })
  expect([unread.status, unread.body.permission]).toEqual([
    403,
    'webhooks.events.read:account.verified',
  ])
  for (const [method, name] of [
    ['GET', 'shared'],
    ['DELETE', 'shared'],
    ['DELETE', 'never'],
  ] as const) {
    const answer = await world.call(method, `/v1/job-rules/${name}`, { token: clerk.token })
    expect([answer.status, answer.body.code]).toEqual([404, 'job_rule_not_found'])
  }
  await world.allow(clerk, 'jobs.rules.write:demo.count')
  expect((await put(clerk, 'shared', { event: type, job })).status).toBe(200)
  const { principal_id } = await db.one(
    Type.Object({ principal_id: Type.String() }),
    sql`
      select principal_id from jobs.job_rules
      where tenant_id = ${who.tenant.id} and name = 'shared'`,
  )
  expect(principal_id).toBe(clerk.id)
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

test('a rule notifies people while its owner may send in the category', async () => {
  const type = await declared()
  const job = {
    type: 'notifications.notify',
    parameters: {
      recipient: { user_id: { $event: '/data/user_id' } },
      category: 'order.updates',
      template: { name: 'notice' },
      data: { subject: 'Won', paragraphs: ['The deal is won.'] },
    },
  }
  const Notice = Type.Object({ recipient_ref: Type.String(), principal_id: Type.String() })
  const noticesOf = ({ tenant }: Member) =>
    db.many(
      Notice,
      sql`
        select recipient_ref, principal_id from notifications.notification_intents
        where tenant_id = ${tenant.id} and category = 'order.updates'`,
    )
  const may = await owner('notifications.intents.send:order.updates')
  const may_not = await owner('notifications.intents.send:news')
  for (const who of [may, may_not]) {
    await rule(who, 'tell', { event: type, job })
    await publish(who, type, [{ user_id: who.id }])
  }
  await quiet()
  expect(await jobsOf(may)).toMatchObject([{ state: 'succeeded' }])
  expect(await noticesOf(may)).toEqual([{ recipient_ref: `user:${may.id}`, principal_id: may.id }])
  expect(await jobsOf(may_not)).toMatchObject([{ state: 'failed', error_code: 'owner_revoked' }])
  expect(await noticesOf(may_not)).toEqual([])
})
