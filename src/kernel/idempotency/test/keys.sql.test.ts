/**
 * One key, one effect, one outcome: for any number of callers at once, in any number of processes.
 */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { openBank, type Bank } from '../../../../test/bank.ts'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, newKey, openWorld, type Answer, type World } from '../../../../test/world.ts'
import { storedKey } from '../records.ts'

let world: World
let other: PlatformProcess
let bank: Bank
let admin: pg.Client
beforeAll(async () => {
  world = await openWorld()
  other = await startProcess({ ...world.environment })
  admin = new pg.Client({ connectionString: world.database_url })
  await admin.connect()
  bank = await openBank(world)
})
afterAll(async () => {
  await other.kill()
  await admin.end()
  await world.close()
})

async function pair(balance = 1000): Promise<[string, string]> {
  return [await bank.open(balance), await bank.open(0)]
}

describe('one key', () => {
  test('50 at once in two processes: one effect, every answer the same or in progress', async () => {
    const [from, to] = await pair()
    const key = newKey()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        bank.transfer(from, to, 10, { key, url: i % 2 ? other.url : world.url }),
      ),
    )
    expect(await bank.balance(to)).toBe(10)
    const done = answers.filter(answer => answer.status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map(answer => answer.text)).size).toBe(1)
    expect(done.filter(answer => !answer.headers.get('idempotent-replayed'))).toHaveLength(1)
    const others = answers.filter(answer => answer.status !== 201)
    expect(others.filter(answer => answer.body.code !== 'idempotency_in_progress')).toEqual([])
  })

  test('replays status, bytes and headers, with a new request id', async () => {
    const [from, to] = await pair()
    const key = newKey()
    const first = await bank.transfer(from, to, 5, { key })
    const again = await bank.transfer(from, to, 5, { key })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
  })

  test('is another one for another principal and for another operation', async () => {
    const [from, to] = await pair()
    const key = newKey()
    const colleague = world.person(bank.teller.principal.tenant_id)
    await world.grant(colleague, 'book.transfers.make')
    await bank.transfer(from, to, 5, { key })
    const theirs = await bank.transfer(from, to, 5, { key, person: colleague })
    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([201, null])
    const opened = await world.call('POST', '/v1/book/accounts', {
      token: bank.teller.token,
      key,
      body: { name: 'x', balance_minor: 1 },
    })
    expect([opened.status, opened.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(await bank.balance(to)).toBe(10)
  })

  test('is found by the id of its first request, with its route and its end', async () => {
    const [from, to] = await pair()
    const key = newKey()
    const first = await bank.transfer(from, to, 5, { key })
    const again = await bank.transfer(from, to, 5, { key })
    const refused = await bank.transfer(from, to, 1_000_000, { key: newKey() })
    const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? ''
    const find = (one: Answer, person = bank.teller) =>
      world.call('GET', `/v1/requests/${idOf(one)}`, { token: person.token })
    expect((await find(first)).body).toMatchObject({
      request_id: idOf(first),
      principal_id: bank.teller.principal.id,
      route: 'POST /v1/book/transfers',
      state: 'completed',
      status: 201,
      location: first.headers.get('location'),
      transaction_id: expect.any(Number),
    })
    expect((await find(refused)).body).toMatchObject({ state: 'completed', status: refused.status })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect((await find(again)).body['code']).toBe('request_not_found')
    // A colleague needs the permission, and the people of other tenants never find it.
    const colleague = world.person(bank.teller.principal.tenant_id)
    const stranger = world.person()
    await world.grant(stranger, 'kernel.requests.read')
    expect((await find(first, colleague)).status).toBe(404)
    expect((await find(first, stranger)).status).toBe(404)
    await world.grant(colleague, 'kernel.requests.read')
    expect((await find(first, colleague)).status).toBe(200)
  })

  test('does not outlive the permission', async () => {
    const [from, to] = await pair()
    const key = newKey()
    const guest = world.person(bank.teller.principal.tenant_id)
    await world.grant(guest, 'book.transfers.make')
    expect((await bank.transfer(from, to, 5, { key, person: guest })).status).toBe(201)
    await world.faces.people.revoke(guest.principal, 'book.transfers.make')
    const again = await bank.transfer(from, to, 5, { key, person: guest })
    expect([again.status, again.body.code]).toEqual([403, 'permission_denied'])
  })

  test('keeps a refusal that the handler decided', async () => {
    const [from, to] = await pair(3)
    const key = newKey()
    const refused = await bank.transfer(from, to, 5, { key })
    expect([refused.status, refused.body.code]).toEqual([409, 'insufficient_funds'])
    const rich = await bank.open(100)
    await bank.transfer(rich, from, 50)
    const again = await bank.transfer(from, to, 5, { key })
    expect(again.status).toBe(409)
    expect(again.body).toEqual({ ...refused.body, request_id: again.headers.get('x-request-id') })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const absent = newKey()
    const ghost = '01890000-0000-7000-8000-000000000000'
    expect((await bank.transfer(from, ghost, 1, { key: absent })).body.code).toBe(
      'account_not_found',
    )
    expect(
      (await bank.transfer(from, ghost, 1, { key: absent })).headers.get('idempotent-replayed'),
    ).toBe('true')
  })

  test('keeps no failure: a handler that broke runs again, once', async () => {
    const [from, to] = await pair()
    const key = newKey()
    await fault({ point: 'kernel.before_commit', action: 'throw', times: 1 })
    expect((await bank.transfer(from, to, 5, { key })).status).toBe(500)
    expect(await bank.balance(to)).toBe(0)
    const again = await bank.transfer(from, to, 5, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(await bank.balance(to)).toBe(5)
  })

  test('was never taken where the schema refused', async () => {
    const [from, to] = await pair()
    const key = newKey()
    expect((await bank.transfer(from, to, -1, { key })).status).toBe(422)
    expect((await bank.transfer(from, to, 1, { key })).status).toBe(201)
  })

  test.for(['this', 'the other'] as const)(
    'is refused in another tenant of its caller, by %s process',
    async where => {
      const { principal, token } = world.person()
      const ask = { key: newKey(), body: { name: 'purse', balance_minor: 5 } }
      expect((await world.call('POST', '/v1/book/accounts', { token, ...ask })).status).toBe(201)
      const there = world.faces.people.token({ ...principal, tenant_id: newId() })
      const url = where === 'this' ? world.url : other.url
      const again = await call(url, 'POST', '/v1/book/accounts', { token: there, ...ask })
      expect([again.status, again.body.code]).toEqual([409, 'idempotency_key_reused'])
    },
  )

  test('can be pruned: then it is a new key', async () => {
    const [from, to] = await pair()
    const key = newKey()
    await bank.transfer(from, to, 5, { key })
    await admin.query('delete from kernel.idempotency_records where key = $1', [storedKey(key)])
    expect((await bank.transfer(from, to, 6, { key })).status).toBe(201)
  })
})

describe('the same request', () => {
  test('is the same in any order and spacing, and with 1.0 for 1; any other is refused', async () => {
    const [from, to] = await pair(100_000)
    const members: [string, string][] = [
      ['from_id', JSON.stringify(from)],
      ['to_id', JSON.stringify(to)],
      ['amount_minor', '1'],
    ]
    const send = (body: string, key: string) =>
      world.call('POST', '/v1/book/transfers', { token: bank.teller.token, key, body })
    const key = newKey()
    const first = await send(write(members, ''), key)
    expect(first.status).toBe(201)
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(members, { minLength: 3, maxLength: 3 }),
        fc.stringMatching(/^[ \n\t]{0,5}$/),
        fc.constantFrom('1', '1.0', '1e0'),
        async (order, space, one) => {
          const same = order.map(
            ([name, value]) => [name, name === 'amount_minor' ? one : value] as [string, string],
          )
          const again = await send(write(same, space), key)
          expect([again.status, again.text]).toEqual([201, first.text])
        },
      ),
      { numRuns: 40 },
    )
    const other = members.map<[string, string]>(([name, value]) => [
      name,
      name === 'amount_minor' ? '2' : value,
    ])
    const refused = await send(write(other, ''), key)
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_key_reused'])
    // An unknown member is refused before the key is compared.
    const unknown = await send(write([...members, ['note', '"unknown"']], ''), key)
    expect([unknown.status, unknown.body.code]).toEqual([422, 'unsupported_field'])
    expect(await bank.balance(to)).toBe(1)
  })

  test('needs a well-formed key', async () => {
    const [from, to] = await pair()
    const body = { from_id: from, to_id: to, amount_minor: 1 }
    const send = (headers: Record<string, string>) =>
      world.call('POST', '/v1/book/transfers', { token: bank.teller.token, body, headers })
    expect((await send({})).body.code).toBe('idempotency_key_missing')
    for (const key of [
      'short',
      'x'.repeat(201),
      'with white space in it',
      'ümlaut-ümlaut-ümlaut',
    ]) {
      const answer = await send({ 'idempotency-key': encodeLatin1(key) })
      expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_key_invalid'])
    }
  })
})

describe('a slow first request', () => {
  test('keeps 500 duplicates waiting without a connection, and other routes fine', async () => {
    const [from, to] = await pair()
    const key = newKey()
    await fault({ point: 'kernel.before_commit', action: 'hold', times: 1 })
    const duplicates = Array.from({ length: 500 }, () => bank.transfer(from, to, 7, { key }))
    const others = await Promise.all(Array.from({ length: 50 }, () => bank.balance(to)))
    expect(new Set(others)).toEqual(new Set([0]))
    const { faults, kernel } = world.platform
    await until('no request waits', async () => kernel.db.load().waiting === 0)
    faults.clear()
    const answers = await Promise.all(duplicates)
    // One that has waited for long says that it is in progress.
    const others_said = answers.filter(one => one.status !== 201).map(one => one.body.code)
    expect(others_said.filter(code => code !== 'idempotency_in_progress')).toEqual([])
    expect(await bank.balance(to)).toBe(7)
  })

  test('of another process ends in 409 with Retry-After', async () => {
    const [from, to] = await pair()
    const key = newKey()
    await call(other.url, 'POST', '/dev/faults', {
      body: { point: 'kernel.before_commit', action: 'hold', times: 1 },
    })
    const slow = bank.transfer(from, to, 7, { key, url: other.url })
    await until('the rival holds its transaction', async () => {
      const { rows } = await admin.query(
        `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      )
      return rows.length > 0
    })
    const refused = await bank.transfer(from, to, 7, { key })
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
    expect(refused.headers.get('retry-after')).toBe('1')
    await call(other.url, 'DELETE', '/dev/faults')
    expect((await slow).status).toBe(201)
    expect((await bank.transfer(from, to, 7, { key })).headers.get('idempotent-replayed')).toBe(
      'true',
    )
  })
})

async function fault(rule: Record<string, unknown>): Promise<void> {
  const answer = await world.call('POST', '/dev/faults', { body: rule })
  expect(answer.status).toBeLessThan(300)
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) if (await look()) return
  throw new Error(`did not happen: ${what}`)
}

function write(members: readonly (readonly [string, string])[], space: string): string {
  const inner = members.map(([name, value]) => `${space}"${name}"${space}:${space}${value}`)
  return `${space}{${inner.join(`${space},`)}${space}}${space}`
}

function encodeLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
