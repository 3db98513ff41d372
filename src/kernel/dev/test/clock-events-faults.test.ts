/** Clock, events and fault points over HTTP, and who may ask at all. */
import { request } from 'node:http'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClock } from '../../clock.ts'
import { sql } from '../../database/sql.ts'
import { InjectedFault } from '../../faults.ts'
import { newId } from '../../ids.ts'
import { followClock } from '../follow-clock.ts'
import { startPlatform, type Platform } from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

async function call(method: string, path: string, body?: unknown, headers: object = {}) {
  const answer = await fetch(`${platform.base}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text ? JSON.parse(text) : null }
}

/** `fetch` writes Host itself, so foreign ones are sent by the plain client. */
function statusFor(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(new URL(path, platform.base), { headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test('nobody but a direct caller on this machine finds them', async () => {
  expect(await statusFor('/dev', { host: 'localhost:8080' })).toBe(200)
  expect(await statusFor('/dev', { host: 'rebound.example' })).toBe(404)
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    for (const path of ['/dev', '/dev/inbox', '/dev/clock', '/dev/events', '/dev/faults']) {
      expect(await statusFor(path, { [header]: '127.0.0.1' })).toBe(404)
    }
  }
})

test('the clock moves in SQL, in this process and, by the wake-up, in others', async () => {
  const other = openClock()
  const sleepers = new Set<() => void>()
  const follower = followClock({
    db: platform.db,
    clock: other,
    log: platform.log,
    onWake: run => {
      sleepers.add(run)
      return () => sleepers.delete(run)
    },
  })
  await follower.start()
  const before = platform.woken.times
  const moved = await call('POST', '/dev/clock', { offset_seconds: 7200 })
  expect([moved.status, moved.body]).toMatchObject([200, { offset_seconds: 7200 }])
  expect(platform.woken.times).toBe(before + 1)
  expect(platform.clock.offsetSeconds()).toBe(7200)
  const Row = Type.Object({ ahead: Type.Number() })
  const { ahead } = await platform.db.one(
    Row,
    sql`select extract(epoch from kernel.now() - now())::float8 as ahead`,
  )
  expect(ahead).toBe(7200)
  for (const run of sleepers) run()
  await expect.poll(() => other.offsetSeconds()).toBe(7200)
  // Without any wake-up the poll finds it.
  await call('POST', '/dev/clock', { offset_seconds: -60 })
  await expect.poll(() => other.offsetSeconds()).toBe(-60)
  await follower.stop()
  expect(sleepers.size).toBe(0)
  await call('POST', '/dev/clock', { offset_seconds: 0 })
  expect((await call('GET', '/dev/clock')).body).toMatchObject({ offset_seconds: 0 })
  expect(other.offsetSeconds()).toBe(-60)
  expect((await call('POST', '/dev/clock', { offset_seconds: 'soon' })).status).toBe(422)
})

test('fault points are set, strike, are listed and cleared', async () => {
  const rule = { point: 'kernel.test_point', action: 'throw', times: 1, skip: 1 }
  expect((await call('POST', '/dev/faults', rule)).status).toBe(201)
  expect(platform.faults.fault(rule.point)).toBeUndefined()
  await expect(platform.faults.fault(rule.point)).rejects.toThrow(InjectedFault)
  const { body } = await call('GET', '/dev/faults')
  expect(body.data).toEqual([{ ...rule, passed: 2 }])
  expect((await call('POST', '/dev/faults', { point: 'x', action: 'melt' })).status).toBe(422)
  expect((await call('DELETE', '/dev/faults')).status).toBe(204)
  expect(platform.faults.list()).toEqual([])
})

test('a fault of the kernel itself strikes through the route that follows', async () => {
  const point = 'kernel.before_commit'
  await call('POST', '/dev/faults', { point, action: 'throw', times: 1 })
  const event = { type: 'thing.made', tenant: newId(), data: { amount_minor: 1 } }
  expect((await call('POST', '/dev/events', event)).status).toBe(500)
  expect((await call('POST', '/dev/events', event)).status).toBe(201)
  await call('DELETE', '/dev/faults')
})

const Staged = Type.Object({
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_type: Type.String(),
  aggregate_version: Type.Integer(),
  payload: Type.Unknown(),
})
const staged = (aggregate_id: string) =>
  platform.db.many(
    Staged,
    sql`
      select tenant_id, type, schema_version, aggregate_type, aggregate_version, payload
      from kernel.outbox_events where aggregate_id = ${aggregate_id} order by seq`,
  )

test('an event goes through the outbox, for the tenant of the caller, else the named one', async () => {
  const tenant = newId()
  const named = newId()
  const data = { amount_minor: 5 }
  const bearer = { authorization: `Bearer ${tenant}` }
  const body = { type: 'thing.made', data, tenant: named }
  const mine = await call('POST', '/dev/events', body, bearer)
  expect(mine).toMatchObject({ status: 201, body: { tenant_id: tenant, aggregate_version: 1 } })
  expect(await staged(mine.body.aggregate_id)).toEqual([
    {
      tenant_id: tenant,
      type: 'thing.made',
      schema_version: 3,
      aggregate_type: 'thing',
      aggregate_version: 1,
      payload: data,
    },
  ])
  const id = newId()
  const whole = { aggregate_type: 'box', aggregate_id: id, aggregate_version: 7 }
  expect((await call('POST', '/dev/events', { ...body, ...whole })).status).toBe(201)
  expect(await staged(id)).toMatchObject([
    { tenant_id: named, aggregate_type: 'box', aggregate_version: 7 },
  ])
})

test('an event that is not declared, does not fit or has no tenant is refused', async () => {
  const tenant = newId()
  const cases = [
    [{ type: 'thing.lost', data: {}, tenant }, '/type'],
    [{ type: 'thing.made', data: { amount_minor: -1 }, tenant }, '/data/amount_minor'],
    [{ type: 'thing.made', data: { amount_minor: 1 } }, '/tenant'],
  ] as const
  for (const [body, pointer] of cases) {
    const answer = await call('POST', '/dev/events', body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(answer.body.errors[0].pointer).toBe(pointer)
  }
})

test('the log is read in order, by type and aggregate, page by page', async () => {
  const tenant = newId()
  const aggregates = [newId(), newId()] as const
  for (const [index, aggregate] of [...aggregates, aggregates[0]].entries()) {
    await platform.db.run(sql`
      insert into kernel.events (position, id, tenant_id, type, schema_version, aggregate_type,
        aggregate_id, aggregate_version, payload, occurred_at, created_at, lane)
      values (${index + 1}, ${newId()}, ${tenant}, ${index === 2 ? 'thing.sold' : 'thing.made'}, 3,
        'thing', ${aggregate}, 1, '{"amount_minor": 1}', now(), now(), 0)`)
  }
  const positions = (answer: { body: { data: { position: number }[] } }) =>
    answer.body.data.map(one => one.position)
  expect(positions(await call('GET', '/dev/events'))).toEqual([1, 2, 3])
  expect(positions(await call('GET', '/dev/events?type=thing.made'))).toEqual([1, 2])
  expect(positions(await call('GET', `/dev/events?aggregate_id=${aggregates[0]}`))).toEqual([1, 3])
  const first = await call('GET', '/dev/events?limit=2')
  expect(first.body).toMatchObject({ has_more: true, next_cursor: '2' })
  const rest = await call('GET', `/dev/events?limit=2&after=${first.body.next_cursor}`)
  expect([positions(rest), rest.body.has_more, rest.body.next_cursor]).toEqual([[3], false, null])
})
