/** Failed requests: what is kept of them, who may read it, and what a storm of them costs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { startProcess } from '../../../../test/process.ts'
import {
  eventually,
  newKey,
  openWorld,
  type Answer,
  type Person,
  type World,
} from '../../../../test/world.ts'
import { DatabaseBusy } from '../../../kernel/database/failures.ts'
import { openRequestLog } from '../../../kernel/http/server/request-log.ts'
import type { Exchanged } from '../../../kernel/http/server/exchange.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ KERNEL_REQUEST_LOG_BURST: '2000' })
})
afterAll(() => world.close())

const read = 'kernel.requests.read'
const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? ''
const find = (request_id: string, { token }: Person) =>
  world.call('GET', `/v1/requests/${request_id}`, { token })
const list = async ({ token }: Person, query = '') => {
  const { status, body } = await world.call('GET', `/v1/requests?limit=100&${query}`, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data as Record<string, unknown>[]
}
const written = (request_id: string) => {
  const is_there = sql`select true as yes from kernel.requests where id = ${request_id}`
  const Yes = Type.Object({ yes: Type.Boolean() })
  return eventually('the request was written', () => world.platform.kernel.db.maybe(Yes, is_there))
}
/** Not by asking until it is found: each look for what is not there fails, too. */
const kept = async (request_id: string, person: Person) => {
  await written(request_id)
  const found = await find(request_id, person)
  expect(found.status, JSON.stringify(found.body)).toBe(200)
  return found
}

async function colleagueOf({ principal }: Person, ...permissions: string[]): Promise<Person> {
  const person = world.person(principal.tenant_id)
  await world.grant(person, ...permissions)
  return person
}

const write = ({ token }: Person, body: object, query = '') =>
  world.call('POST', `/v1/notes${query}`, { token, body })

describe('what is kept', () => {
  test('says where and why it failed, and nothing that the caller sent', async () => {
    const person = world.person()
    const denied = await write(person, { title: 'said-in-the-body' })
    await world.grant(person, 'notes.notes.write:*')
    const wrong = await write(person, { title: 7, 'said-as-a-name': 1 }, '?said-in-the-query=1')
    const labels = await write(person, { title: 'x', labels: { 'said-as-a-label': 7 } })
    const absent = await world.call('GET', `/v1/notes/${newId()}`, { token: person.token })
    const path = await world.call('GET', '/said/in-the-path', { token: person.token })
    expect((await kept(idOf(denied), person)).body).toMatchObject({
      request_id: idOf(denied),
      principal_id: person.principal.id,
      route: 'POST /v1/notes',
      status: 403,
      code: 'permission_denied',
      permission: 'notes.notes.write',
      kept: 'logged',
      state: 'completed',
      about: [],
      times: 1,
    })
    const { body } = await kept(idOf(wrong), person)
    expect([body.status, body.code]).toEqual([422, wrong.body.code])
    expect((await kept(idOf(labels), person)).body).toMatchObject({
      status: 422,
      pointer: 'body /labels/*',
    })
    const { body: gone } = await kept(idOf(absent), person)
    expect(gone).toMatchObject({ code: 'note_not_found', route: 'GET /v1/notes/{note_id}' })
    expect(gone.about).toHaveLength(1)
    const rows = await world.platform.kernel.db.many(
      Type.Object({ row: Type.String() }),
      sql`select to_jsonb(r)::text as row from kernel.requests r`,
    )
    expect(rows.length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify(rows)).not.toContain('said')
    expect(JSON.stringify(rows)).not.toContain(person.token)
    expect(path.status).toBe(404)
  })

  test('a refused write with a key is found by both that keep it', async () => {
    const person = world.person()
    await world.grant(person, 'bookmarks.bookmarks.write')
    const body = { url: 'javascript:alert(1)', title: 'x' }
    const refused = await world.call('POST', '/v1/bookmarks', {
      token: person.token,
      key: newKey(),
      body,
    })
    expect(refused.status).toBe(422)
    expect((await kept(idOf(refused), person)).body).toMatchObject({
      code: 'validation_failed',
      route: 'POST /v1/bookmarks',
      status: 422,
    })
  })

  test('a request that succeeded is not', async () => {
    const person = world.person()
    const [done, failed] = [
      await world.call('GET', '/v1/notes', { token: person.token }),
      await world.call('GET', `/v1/notes/${newId()}`, { token: person.token }),
    ]
    await kept(idOf(failed), person)
    expect((await find(idOf(done), person)).status).toBe(404)
    expect(await list(person)).toHaveLength(1)
  })
})

describe('who may read it', () => {
  test('oneself; others of the tenant with the permission, until it is taken; no other tenant', async () => {
    const person = world.person()
    const failed = await write(person, { title: 'x' })
    await kept(idOf(failed), person)
    const colleague = await colleagueOf(person)
    const support = await colleagueOf(person, read)
    const stranger = world.person()
    await world.grant(stranger, read, 'kernel.requests.read_any')
    expect(await list(person)).toMatchObject([{ request_id: idOf(failed) }])
    expect(await list(support)).toMatchObject([{ request_id: idOf(failed) }])
    expect(await list(support, `account_id=${person.principal.id}`)).toHaveLength(1)
    const own_only = (await list(colleague)).map(one => one['principal_id'])
    expect(own_only).not.toContain(person.principal.id)
    for (const one of [colleague, stranger]) {
      expect((await find(idOf(failed), one)).body.code).toBe('request_not_found')
      const asked = `/v1/requests?account_id=${person.principal.id}`
      const { status, body } = await world.call('GET', asked, { token: one.token })
      const refused = [403, read, undefined]
      const nothing = [200, undefined, []]
      expect([status, body.permission, body.data]).toEqual(one === colleague ? refused : nothing)
    }
    await world.faces.people.revoke(support.principal, read)
    expect((await find(idOf(failed), support)).status).toBe(404)
    expect((await list(support)).map(one => one['request_id'])).not.toContain(idOf(failed))
  })

  test('requests without a caller: an operator of the platform', async () => {
    const operator = world.person()
    await world.grant(operator, 'kernel.requests.read_any')
    const tenant_admin = world.person()
    await world.grant(tenant_admin, read)
    const refused = await world.call('POST', '/v1/notes', { token: 'no-token', body: {} })
    expect(refused.status).toBe(401)
    const found = await kept(idOf(refused), operator)
    expect(found.body).toMatchObject({ principal_id: null, status: 401, kept: 'logged' })
    expect((await find(idOf(refused), tenant_admin)).status).toBe(404)
    const ask = ({ token }: Person) => world.call('GET', '/v1/anonymous-requests', { token })
    const ids = (await ask(operator)).body.data.map((one: { request_id: string }) => one.request_id)
    expect(ids).toContain(idOf(refused))
    expect((await ask(tenant_admin)).body.permission).toBe('kernel.requests.read_any')
    expect((await list(tenant_admin)).map(one => one['request_id'])).not.toContain(idOf(refused))
  })

  test('is asked by status, code, route, about what and when', async () => {
    const person = world.person()
    const absent_id = newId()
    const denied = await write(person, { title: 'x' })
    const absent = await world.call('GET', `/v1/notes/${absent_id}`, { token: person.token })
    for (const one of [denied, absent]) await kept(idOf(one), person)
    const ids = async (query: string) => (await list(person, query)).map(one => one['request_id'])
    expect(await ids('status=4xx')).toEqual([idOf(absent), idOf(denied)])
    expect(await ids('status=404')).toEqual([idOf(absent)])
    expect(await ids('status=5xx')).toEqual([])
    expect(await ids('code=permission_denied')).toEqual([idOf(denied)])
    expect(await ids('route=GET+/v1/notes/%7Bnote_id%7D')).toEqual([idOf(absent)])
    expect(await ids(`about=${absent_id}`)).toEqual([idOf(absent)])
    expect(await ids(`find=${idOf(denied)}`)).toEqual([idOf(denied)])
    expect(await ids('until=2026-01-01T00:00:00Z')).toEqual([])
    const { status } = await world.call('GET', '/v1/requests?status=teapot', {
      token: person.token,
    })
    expect(status).toBe(422)
  })
})

describe('a storm', () => {
  const settings = (per_second: number, burst: number) => ({
    'kernel.request_log_days': 7,
    'kernel.request_log_per_second': per_second,
    'kernel.request_log_burst': burst,
  })
  const compiled = { operation: 'GET /v1/storm', route: {} }
  const asked = (principal: Person['principal'] | null, code = 'not_found', operation?: string) =>
    ({
      id: newId(),
      principal,
      compiled: { ...compiled, ...(operation && { operation }) },
      params: {},
      refused: { code },
      began_ms: performance.now(),
    }) as unknown as Exchanged
  const Sums = Type.Object({ rows: Type.Integer(), times: Type.Integer() })
  const sums = ({ tenant_id }: Person['principal']) =>
    world.platform.kernel.db.one(
      Sums,
      sql`
        select count(*)::int as rows, coalesce(sum(times), 0)::int as times
        from kernel.requests where tenant_id = ${tenant_id}`,
    )

  test('of the same requests keeps ten rows, and counts all', async () => {
    const { kernel } = world.platform
    const { principal } = world.person()
    const log = openRequestLog({ ...kernel, settings: settings(1000, 400) })
    for (let i = 0; i < 10_000; i++) log.note(asked(principal), 401, 1)
    await log.close()
    expect(await sums(principal)).toEqual({ rows: 10, times: 10_000 })
  })

  test('of different requests keeps its rate; other tenants and failures still have room', async () => {
    const { kernel } = world.platform
    const [loud, other] = [world.person().principal, world.person().principal]
    const log = openRequestLog({ ...kernel, settings: settings(1, 40) })
    for (let i = 0; i < 1000; i++) log.note(asked(loud, 'not_found', `GET /v1/x${i}`), 404, 1)
    for (let i = 0; i < 8; i++) log.note(asked(other, 'not_found', `GET /v1/x${i}`), 404, 1)
    // 36 of 40 are for refusals; the rest is for failures of the platform.
    for (let i = 0; i < 100; i++) {
      log.note(asked(world.person().principal, 'not_found', `GET /v1/x${i}`), 404, 1)
    }
    const unlucky = world.person().principal
    log.note(asked(unlucky, 'not_found'), 404, 1)
    log.note(asked(unlucky, 'internal_error'), 500, 1)
    await log.close()
    expect((await sums(loud)).rows).toBeLessThanOrEqual(12)
    expect((await sums(other)).rows).toBe(8)
    expect((await sums(unlucky)).rows).toBe(1)
  })

  test('rows wait for a database that is busy', async () => {
    const { kernel } = world.platform
    const { principal } = world.person()
    let asked_times = 0
    const busy = {
      load: kernel.db.load,
      run: (statement: Parameters<typeof kernel.db.run>[0]) => {
        if (asked_times++ === 0) return Promise.reject(new DatabaseBusy())
        return kernel.db.run(statement)
      },
    }
    const log = openRequestLog({ db: busy, log: kernel.log, settings: settings(5, 500) })
    log.note(asked(principal), 404, 1)
    await eventually('the rows were written', async () => (await sums(principal)).rows === 1)
    expect(asked_times).toBe(2)
    await log.close()
  })
})

test('a killed process loses only what it had not written', async () => {
  const person = world.person()
  const process = await startProcess(world.environment)
  const fail = () =>
    fetch(`${process.url}/v1/notes/${newId()}`, {
      headers: { authorization: `Bearer ${person.token}` },
    })
  const first = (await fail()).headers.get('x-request-id') ?? ''
  await written(first)
  await fail()
  await process.kill('SIGKILL')
  const after = await world.call('GET', `/v1/notes/${newId()}`, { token: person.token })
  await written(idOf(after))
  const ids = (await list(person)).map(one => one['request_id'])
  expect(ids).toEqual(expect.arrayContaining([first, idOf(after)]))
  expect(ids.length).toBeLessThanOrEqual(3)
})
