/** Job types: registered versions never change, bad schemas are refused, and a pause is strict. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(() => world.close())
world.face.activities(['letters.deliver', 'letters.sort'])

const { token } = world.operator
const put = (type: string, body: object) =>
  world.call('PUT', `/v1/job-types/${type}`, { token, body })
const pause = (type: string, body?: object) =>
  world.call('POST', `/v1/job-types/${type}/pause`, {
    token,
    body: body ?? { reason: 'a look at it' },
  })
const resume = (type: string) => world.call('POST', `/v1/job-types/${type}/resume`, { token })
const anything = { type: 'object' }

describe.concurrent('a registered type', () => {
  test('has versions that never change, and rules that may', async () => {
    const type = `outside.${newId()}`
    const first = { schema_version: 1, parameters_schema: anything, lease_seconds: 60 }
    const made = await put(type, first)
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/v1/job-types/${type}`)
    expect(made.body).toMatchObject({
      type,
      kind: 'external',
      submittable: true,
      schema_versions: [1],
      lease_seconds: 60,
      timeout_seconds: 600,
      max_attempts: 5,
      backoff: { base_ms: 2000, cap_ms: 900_000 },
      tenant_max_running: null,
      paused: false,
    })
    const again = await put(type, { ...first, lease_seconds: 90, max_attempts: 2 })
    expect([again.status, again.body.lease_seconds, again.body.max_attempts]).toEqual([200, 90, 2])
    const other = await put(type, {
      ...first,
      parameters_schema: { type: 'object', minProperties: 1 },
    })
    expect([other.status, other.body.code]).toEqual([409, 'schema_immutable'])
    const second = { schema_version: 2, parameters_schema: { type: 'object', minProperties: 1 } }
    expect((await put(type, second)).status).toBe(201)
    const shown = await world.call('GET', `/v1/job-types/${type}`, { token })
    expect(shown.body.schema_versions).toEqual([1, 2])
    const who = await world.person()
    expect((await world.order(who, { type })).status).toBe(422)
    const old = await world.order(who, { type, schema_version: 1 })
    expect([old.status, old.body.schema_version]).toEqual([202, 1])
    const newest = await world.order(who, { type, parameters: { a: 1 } })
    expect([newest.status, newest.body.schema_version]).toEqual([202, 2])
  })

  test.each([
    ['a remote reference', { $ref: 'https://example.test/schema.json' }],
    ['an id', { $id: 'https://example.test/schema.json' }],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['a pattern that looks ahead', { properties: { a: { pattern: '^(?!a)' } } }],
    ['such a pattern for names', { patternProperties: { '(?=a)': {} } }],
    ['a reference past what holds schemas', { default: {}, $ref: '#/default' }],
    ['a promise', { $async: true }],
    ['a keyword of the wrong kind', { type: 'object', required: 'a' }],
    ['no such type', { type: 'objekt' }],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
    ['a reference to nothing', { $ref: '#/$defs/absent' }],
    ['more than 32 KiB', { description: 'x'.repeat(33 * 1024) }],
  ])('with %s is refused', async (_what, parameters_schema) => {
    const { status, body } = await put(`outside.${newId()}`, {
      schema_version: 1,
      parameters_schema,
    })
    expect([status, body.code]).toEqual([422, 'schema_invalid'])
  })

  test.each([
    ['a pattern that explodes elsewhere', { properties: { a: { pattern: '^(a|a)*$' } } }],
    ['such names', { patternProperties: { '^(n|n)*$': true }, additionalProperties: false }],
  ])('with %s answers at once', async (_what, parameters_schema) => {
    const type = `outside.${newId()}`
    expect((await put(type, { schema_version: 1, parameters_schema })).status).toBe(201)
    const parameters = { a: `${'a'.repeat(5000)}!`, [`${'n'.repeat(5000)}!`]: 1 }
    const { status, body } = await world.order(await world.person(), { type, parameters })
    expect([status, body.code]).toEqual([422, 'validation_failed'])
  })

  test('whose references double with each level is stopped at its limit', async () => {
    const type = `outside.${newId()}`
    const level = (n: number) => ({ allOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] })
    const levels = Array.from({ length: 36 }, (_, n) => [`d${n}`, level(n + 1)] as const)
    const $defs = { ...Object.fromEntries(levels), d36: true }
    const parameters_schema = { $ref: '#/$defs/d0', $defs }
    expect((await put(type, { schema_version: 1, parameters_schema })).status).toBe(201)
    const { status, body } = await world.order(await world.person(), { type })
    expect([status, body.errors[0].constraint]).toEqual([422, 'work'])
  })

  test('is never one of the platform', async () => {
    for (const type of ['toil.any', 'letters.deliver']) {
      const { status, body } = await put(type, { schema_version: 9, parameters_schema: anything })
      expect([status, body.code]).toEqual([409, 'job_type_reserved'])
    }
  })

  test('with a schema that leads back to itself is refused', async () => {
    const loop = { schema_version: 1, parameters_schema: { $ref: '#' } }
    const { status, body } = await put(`endless.${newId()}`, loop)
    expect([status, body.code]).toEqual([422, 'schema_invalid'])
  })

  test('is listed with those of the platform, page by page', async () => {
    await world.idleType()
    const whole = await world.call('GET', '/v1/job-types?limit=100', { token })
    const names: string[] = whole.body.data.map((one: { type: string }) => one.type)
    expect(names).toEqual(expect.arrayContaining(['toil.any', 'letters.deliver']))
    expect(names).toEqual([...names].sort())
    const paged: string[] = []
    let cursor = ''
    do {
      const page = await world.call('GET', `/v1/job-types?limit=5${cursor}`, { token })
      paged.push(...page.body.data.map((one: { type: string }) => one.type))
      cursor = page.body.has_more ? `&cursor=${page.body.next_cursor}` : ''
    } while (cursor)
    expect(new Set(paged).size).toBe(paged.length)
    expect(paged).toEqual(expect.arrayContaining(names.slice(0, 5)))
  })
})

describe.concurrent('a pause', () => {
  test('says what it did, who did it, and is announced and audited; again it is renewed', async () => {
    const type = await world.idleType()
    const first = await pause(type, { reason: 'too slow' })
    expect([first.status, first.body]).toEqual([
      200,
      {
        type,
        paused: true,
        reason: 'too slow',
        paused_at: expect.any(String),
        paused_by: world.operator.id,
        until: null,
        running: 0,
      },
    ])
    const again = await pause(type, { reason: 'still too slow' })
    expect(again.body).toMatchObject({
      reason: 'still too slow',
      paused_at: first.body.paused_at,
    })
    const resumed = await resume(type)
    expect([resumed.status, resumed.body.paused, resumed.body.paused_at]).toEqual([
      200,
      false,
      null,
    ])
    expect((await resume(type)).status).toBe(200)
    const announced = await eventually('all is announced', async () => {
      const rows = await world.query<{ type: string }>(
        `select type from kernel.events where payload->>'type' = $1 order by position`,
        [type],
      )
      return rows.length === 3 && rows.map(row => row.type)
    })
    expect(announced).toEqual(['job_type.paused', 'job_type.paused', 'job_type.resumed'])
    const acts = await world.query<{ action: string }>(
      'select action from kernel.audit_events where target = $1 order by id',
      [type],
    )
    const names = acts.map(one => one.action).filter(one => one !== 'jobs.types.write')
    expect(names).toEqual(['jobs.types.pause', 'jobs.types.pause', 'jobs.types.resume'])
  })

  test('ends by itself at its time, and that is announced', async () => {
    const type = await world.idleType()
    const until = new Date(Date.now() + 2000).toISOString()
    expect((await pause(type, { reason: 'a moment', until })).body.until).toBe(until)
    await eventually('it is announced', async () => {
      const rows = await world.query(
        `select from kernel.events where payload->>'type' = $1 and type = 'job_type.resumed'`,
        [type],
      )
      return rows.length === 1
    })
    const shown = await world.call('GET', `/v1/job-types/${type}`, { token })
    expect(shown.body).toMatchObject({ paused: false, paused_at: null, pause_reason: null })
    const past = await pause(type, { reason: 'a moment', until })
    expect([past.status, past.body.code]).toEqual([422, 'validation_failed'])
  })

  test('of an activity waits for every claim under way, and lets none begin after it', async () => {
    const { kernel, face } = world
    const { promise: ended, resolve: end } = Promise.withResolvers<null>()
    let inside = false
    const claim = kernel.db.tx(async tx => {
      expect(await face.pauseFence(tx, 'letters.deliver')).toBe(true)
      inside = true
      await ended
    })
    await eventually('a claim is under way', () => inside)
    let answered = false
    const pausing = pause('letters.deliver').then(answer => {
      answered = true
      return answer
    })
    await eventually('the pause waits for the fence', async () => {
      const rows = await world.query(
        `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows.length > 0
    })
    expect(answered).toBe(false)
    end(null)
    await claim
    const answer = await pausing
    expect([answer.status, answer.body.running]).toEqual([200, null])
    const passes = (activity: string) => kernel.db.tx(tx => face.pauseFence(tx, activity))
    expect([await passes('letters.deliver'), await passes('letters.sort')]).toEqual([false, true])
    await resume('letters.deliver')
    expect(await passes('letters.deliver')).toBe(true)
  })

  test('is for those who operate the platform, and needs a reason and a type that exists', async () => {
    const type = await world.idleType()
    const admin = await world.person(['jobs.jobs.submit:*', 'jobs.types.read'])
    const body = { reason: 'mine' }
    const denied = await world.call('POST', `/v1/job-types/${type}/pause`, {
      token: admin.token,
      body,
    })
    expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
    expect((await pause(type, {})).status).toBe(422)
    for (const name of ['no.such', 'NO SUCH']) {
      const absent = await pause(encodeURIComponent(name))
      expect([absent.status, absent.body.code]).toEqual([404, 'job_type_not_found'])
      expect((await resume(encodeURIComponent(name))).status).toBe(404)
    }
  })
})

describe.concurrent('the numbers', () => {
  test('say how much of a type waits, runs and has failed', async () => {
    const type = await world.idleType()
    const who = await world.person()
    const parent = await world.submit(who, { type })
    await world.submit(who, { type })
    await world.submit(who, { type, depends_on: [{ job_id: parent }] })
    await world.call('POST', `/v1/jobs/${parent}/cancel`, { token: who.token })
    await pause(type)
    const { status, body } = await world.call('GET', `/v1/job-stats?type=${type}`, { token })
    expect([status, body.data]).toEqual([
      200,
      [
        {
          type,
          waiting: 1,
          running: 0,
          oldest_waiting_seconds: expect.any(Number),
          failed_24h: 1,
          paused: true,
          capable_workers: 0,
        },
      ],
    ])
    const own = await eventually('the runner is known', async () => {
      const said = await world.call('GET', '/v1/job-stats?type=toil.any', { token })
      return said.body.data[0].capable_workers === 1 && said.body.data[0]
    })
    expect(own.paused).toBe(false)
    const activity = await world.call('GET', '/v1/job-stats?type=letters.sort', { token })
    expect(activity.body.data[0]).toMatchObject({ waiting: null, running: null, paused: false })
  })
})
