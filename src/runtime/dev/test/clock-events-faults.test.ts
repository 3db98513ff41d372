/** Clock, events and fault points over HTTP, and who may ask at all. */
import { request } from 'node:http'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { call as callAt, eventually, openWorld, type World } from '../../../../test/world.ts'
import { newId, openClock, sql } from '#dodeca/kernel'
import { InjectedFault } from '../../../kernel/faults.ts'
import { openLog } from '../../../kernel/observability/log.ts'
import { followClock } from '../follow-clock.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({})
})
afterAll(() => world.close())

const call = (method: string, path: string, body?: unknown, token?: string) =>
  world.call(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  })

/** `fetch` writes Host itself, so other hosts are sent by the plain client. */
function statusFor(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(new URL(path, world.url), { headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test('only a direct caller on this machine can reach them', async () => {
  expect(await statusFor('/dev', { host: 'localhost:8080' })).toBe(200)
  expect(await statusFor('/dev', { host: 'rebound.example' })).toBe(404)
  expect(await statusFor('/dev', { origin: 'http://localhost:5173' })).toBe(404)
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    for (const path of ['/dev', '/dev/inbox', '/dev/clock', '/dev/events', '/dev/faults']) {
      expect(await statusFor(path, { [header]: '127.0.0.1' })).toBe(404)
    }
  }
})

test('the clock moves in SQL, in this process and in others, woken or not', async () => {
  const other = await startProcess(world.environment)
  try {
    const { kernel } = world.platform
    const known = async (offset_seconds: number, what: string) => {
      const answer = await callAt(other.url, 'GET', '/dev/clock')
      expect(answer.status, what).toBe(200)
      return answer.body.offset_seconds === offset_seconds
    }
    let woken = 0
    const asleep = kernel.onWake(() => woken++)
    const moved = await call('POST', '/dev/clock', { offset_seconds: 7200 })
    expect([moved.status, moved.body]).toMatchObject([200, { offset_seconds: 7200 }])
    expect(woken).toBeGreaterThan(0)
    asleep()
    expect(kernel.clock.offsetSeconds()).toBe(7200)
    const Row = Type.Object({ ahead: Type.Number() })
    const { ahead } = await kernel.db.one(
      Row,
      sql`select extract(epoch from kernel.now() - now())::float8 as ahead`,
    )
    expect(ahead).toBe(7200)
    // A call that is not inlined costs more than most of our statements.
    const plan = await kernel.db.many(
      Type.Object({ 'QUERY PLAN': Type.String() }),
      sql`explain (verbose, costs off) select kernel.now()`,
    )
    expect(JSON.stringify(plan)).toMatch(/Output: \(now\(\) \+ /)
    await eventually('the other process knows', () => known(7200, 'woken'))
    // There is no notification: each process finds the move by polling.
    await kernel.db.run(sql`update kernel.clock set offset_seconds = -60`)
    await eventually('it is found by looking', () => known(-60, 'unwoken'))
    await eventually('here too', () => kernel.clock.offsetSeconds() === -60)
  } finally {
    await call('POST', '/dev/clock', { offset_seconds: 0 })
    await other.kill('SIGTERM')
  }
  expect((await call('GET', '/dev/clock')).body).toMatchObject({ offset_seconds: 0 })
  expect((await call('POST', '/dev/clock', { offset_seconds: 'soon' })).status).toBe(422)
})

test('a follower knows the offset once it started, and stops reading once it stopped', async () => {
  const { db } = world.platform.kernel
  const clock = openClock()
  const sleepers = new Set<() => void>()
  const follower = followClock({
    db,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    onWake: run => {
      sleepers.add(run)
      return () => sleepers.delete(run)
    },
  })
  await call('POST', '/dev/clock', { offset_seconds: 30 })
  await follower.start()
  expect([clock.offsetSeconds(), sleepers.size]).toEqual([30, 1])
  await call('POST', '/dev/clock', { offset_seconds: 0 })
  for (const run of sleepers) run()
  await eventually('the follower looked', () => clock.offsetSeconds() === 0)
  await follower.stop()
  expect(sleepers.size).toBe(0)
})

test('fault points are set, strike, are listed and cleared', async () => {
  const { faults } = world.platform
  const rule = { point: 'kernel.after_call', action: 'throw', times: 1, skip: 1 }
  expect((await call('POST', '/dev/faults', rule)).status).toBe(201)
  expect(faults.fault(rule.point)).toBeUndefined()
  await expect(faults.fault(rule.point)).rejects.toThrow(InjectedFault)
  const { body } = await call('GET', '/dev/faults')
  expect(body.data).toEqual([{ ...rule, passed: 2, match: null }])
  expect((await call('POST', '/dev/faults', { point: 'x', action: 'melt' })).status).toBe(422)
  const listed = await call('GET', '/dev/fault-points')
  const points = listed.body.data.map((one: { point: string }) => one.point)
  expect(points).toEqual(expect.arrayContaining(['kernel.before_commit', 'kernel.consumer']))
  const absent = await call('POST', '/dev/faults', { point: 'kernel.nowhere', action: 'throw' })
  expect([absent.status, absent.body.errors[0].pointer]).toEqual([422, '/point'])
  expect((await call('DELETE', '/dev/faults')).status).toBe(204)
  expect(faults.list()).toEqual([])
})

test('a fault point may hit one tenant, or one thing, alone', async () => {
  const [hit, spared] = [world.person(), world.person()]
  const ids: string[] = []
  for (const person of [hit, spared]) {
    await world.grant(person, 'notes.notes.write:*')
    const { token } = person
    ids.push((await world.call('POST', '/v1/notes', { token, body: { title: 'x' } })).body.id)
  }
  const change = async ({ token }: typeof hit, id = '') =>
    (await world.call('PATCH', `/v1/notes/${id}`, { token, body: { title: 'y' } })).status
  for (const match of [hit.principal.tenant_id, ids[0]]) {
    const rule = { point: 'kernel.before_commit', action: 'throw', match }
    expect((await call('POST', '/dev/faults', rule)).status).toBe(201)
    expect([await change(hit, ids[0]), await change(spared, ids[1])]).toEqual([500, 200])
    await call('DELETE', '/dev/faults')
  }
})

/** What the log shows of an aggregate once that many of its events have their position. */
const logged = (aggregate_id: string, events = 1) =>
  eventually(`${events} events of ${aggregate_id} in the log`, async () => {
    const { body } = await call('GET', `/dev/events?aggregate_id=${aggregate_id}`)
    return body.data.length >= events && (body.data as Record<string, unknown>[])
  })

test('a fault of the kernel itself strikes through the route that follows', async () => {
  const point = 'kernel.before_commit'
  await call('POST', '/dev/faults', { point, action: 'throw', times: 1 })
  const aggregate_id = newId()
  const data = { note_id: newId() }
  const event = { type: 'note.written', tenant: newId(), aggregate_id, data }
  expect((await call('POST', '/dev/events', event)).status).toBe(500)
  const kept = await call('POST', '/dev/events', event)
  expect(kept.status).toBe(201)
  expect((await logged(aggregate_id)).map(one => one['id'])).toEqual(kept.body.event_ids)
  await call('DELETE', '/dev/faults')
})

test('an event goes through the outbox, for the tenant of the caller, else the named one', async () => {
  const { principal, token } = world.person()
  const named = newId()
  const data = { note_id: newId() }
  const body = { type: 'note.written', data, tenant: named }
  const mine = await call('POST', '/dev/events', body, token)
  expect(mine).toMatchObject({
    status: 201,
    body: { type: 'note.written', tenant_id: principal.tenant_id, aggregate_version: 1 },
  })
  const { event_ids, ...event } = mine.body
  expect(await logged(event.aggregate_id)).toEqual([
    {
      ...event,
      id: event_ids[0],
      position: expect.any(Number),
      aggregate_type: 'note',
      schema_version: 1,
      payload: data,
      payload_ref: null,
      traceparent: expect.toBeOneOf([null, expect.any(String)]),
      occurred_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    },
  ])
  const id = newId()
  const whole = { aggregate_type: 'box', aggregate_id: id, aggregate_version: 7 }
  const theirs = await call('POST', '/dev/events', { ...body, ...whole })
  expect(theirs.status).toBe(201)
  expect(await logged(id)).toMatchObject([
    { id: theirs.body.event_ids[0], tenant_id: named, ...whole },
  ])
  // It is like any other event: both consumers of its type get it.
  const heard = () => world.faces.opened['notes']?.face as { written(id: string): Promise<number> }
  for (const tenant of [principal.tenant_id, named]) {
    await eventually('the event is heard', async () => (await heard().written(tenant)) === 1)
  }
})

test('an event that is not declared, does not fit or has no tenant is refused', async () => {
  const tenant = newId()
  const cases = [
    [{ type: 'note.lost', data: {}, tenant }, '/type'],
    [{ type: 'note.written', data: { note_id: 7 }, tenant }, '/data/note_id'],
    [{ type: 'note.written', data: { note_id: newId() } }, '/tenant'],
  ] as const
  for (const [body, pointer] of cases) {
    const answer = await call('POST', '/dev/events', body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(answer.body.errors[0].pointer).toBe(pointer)
  }
})

test('many are one transaction: of one aggregate in following versions, or each of its own', async () => {
  const tenant = newId()
  const event = { type: 'note.written', data: { note_id: newId() }, tenant, count: 12 }
  const aggregate_id = newId()
  const one = await call('POST', '/dev/events', { ...event, aggregate_id, aggregate_version: 3 })
  const rows = await logged(aggregate_id, 12)
  expect(rows.map(row => row['id'])).toEqual(one.body.event_ids)
  expect(rows.map(row => row['aggregate_version'])).toEqual(
    Array.from({ length: 12 }, (_, index) => index + 3),
  )
  const apart = await call('POST', '/dev/events', event)
  expect([apart.body.aggregate_id, new Set(apart.body.event_ids).size]).toEqual([null, 12])
  expect((await call('POST', '/dev/events', { ...event, count: 10_001 })).status).toBe(422)
})

test('a transaction that is held open delays no other, and is complete when it ends', async () => {
  const tenant = newId()
  const event = { type: 'note.written', data: { note_id: newId() }, tenant }
  const [held_id, other_id] = [newId(), newId()]
  let over = false
  const held = call('POST', '/dev/events', {
    ...event,
    aggregate_id: held_id,
    hold_ms: 5000,
  }).finally(() => {
    over = true
  })
  await eventually('it took its number', async () => {
    const { n } = await world.platform.kernel.db.one(
      Type.Object({ n: Type.Integer() }),
      sql`select count(*)::int as n from pg_stat_activity
        where query like 'select pg_sleep%' and datname = current_database()`,
    )
    return n === 1
  })
  await call('POST', '/dev/events', { ...event, aggregate_id: other_id })
  await logged(other_id)
  expect(over).toBe(false)
  expect((await call('GET', `/dev/events?aggregate_id=${held_id}`)).body.data).toEqual([])
  expect((await held).status).toBe(201)
  await logged(held_id)
})

test('a transaction that is undone leaves nothing, and the next one is heard', async () => {
  const aggregate_id = newId()
  const event = { type: 'note.written', data: { note_id: newId() }, tenant: newId(), aggregate_id }
  const undone = await call('POST', '/dev/events', { ...event, rollback: true, hold_ms: 10 })
  expect([undone.status, undone.body.event_ids.length]).toEqual([201, 1])
  const kept = await call('POST', '/dev/events', event)
  expect((await logged(aggregate_id)).map(row => row['id'])).toEqual(kept.body.event_ids)
})

test('the log is read in order, by type and aggregate, page by page', async () => {
  const tenant = newId()
  const [one, two] = [newId(), newId()]
  const written = { type: 'note.written', data: { note_id: newId() } }
  const settled = { type: 'message.settled', data: { operation_id: newId(), state: 'sent' } }
  const emitted: string[] = []
  for (const event of [
    { ...written, aggregate_id: one },
    { ...written, aggregate_id: two },
    { ...settled, aggregate_id: one, aggregate_version: 2 },
  ]) {
    emitted.push((await call('POST', '/dev/events', { ...event, tenant })).body.event_ids[0])
  }
  const [first, , third] = emitted
  const position = Number((await logged(one, 2))[0]?.['position'])
  const after = position - 1
  const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(row => row.id)
  expect(ids(await call('GET', `/dev/events?after=${after}`))).toEqual(emitted)
  expect(ids(await call('GET', `/dev/events?after=${after}&type=note.written`))).toEqual(
    emitted.slice(0, 2),
  )
  expect(ids(await call('GET', `/dev/events?aggregate_id=${one}`))).toEqual([first, third])
  const page = await call('GET', `/dev/events?limit=2&after=${after}`)
  expect(page.body).toMatchObject({ has_more: true, next_cursor: `${position + 1}` })
  const rest = await call('GET', `/dev/events?limit=2&after=${page.body.next_cursor}`)
  expect([ids(rest), rest.body.has_more, rest.body.next_cursor]).toEqual([[third], false, null])
})
