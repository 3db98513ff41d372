/** The client against a real platform, with a network between them that loses answers. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyedOperations, type ApiDocument } from '../client/generate.ts'
import { createClient, Problem, type ClientOptions } from '../client/src/index.ts'
import { ensureGenerated } from '../scripts/generated.mjs'
import type { TestPaths } from './client/paths.ts'
import { openProxy } from './client/proxy.ts'
import { eventually, openWorld, type World } from './world.ts'

const root = resolve(import.meta.dirname, '..')

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** A client behind its own proxy. */
async function scene(options: Partial<ClientOptions> = {}) {
  const proxy = await openProxy(world.url)
  const person = world.person()
  const permissions = ['notes.notes.write', 'book.accounts.open', 'book.accounts.read']
  await world.grant(person, ...permissions.map(one => `${one}:*`), 'book.transfers.make:*')
  const document = JSON.parse(world.platform.document()) as ApiDocument
  const keyed = Object.fromEntries(keyedOperations(document).map(one => [one, true as const]))
  const { token } = person
  const client = createClient<TestPaths>({ base_url: proxy.url, token, keyed, ...options })
  return { proxy, person, client, [Symbol.asyncDispose]: () => proxy.close() }
}

type Scene = Awaited<ReturnType<typeof scene>>

async function twoAccounts({ client }: Scene) {
  const body = { name: 'purse', balance_minor: 100 }
  const from = await client.POST('/v1/book/accounts', { body })
  const to = await client.POST('/v1/book/accounts', { body })
  return { from_id: from.data.id, to_id: to.data.id }
}

async function balance({ client }: Scene, account_id: string): Promise<number> {
  const params = { path: { account_id } }
  return (await client.GET('/v1/book/accounts/{account_id}', { params })).data.balance_minor
}

async function refusal(call: Promise<unknown>): Promise<Problem> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(Problem)
  return thrown as Problem
}

describe.concurrent('the client', () => {
  test('walks a list to its end', async () => {
    await using here = await scene()
    const { client } = here
    const written: string[] = []
    for (const title of ['a', 'b', 'c', 'd', 'e']) {
      const { data } = await client.POST('/v1/notes', { body: { title, kind: 'list' } })
      written.unshift(data.id)
    }
    await client.POST('/v1/notes', { body: { title: 'other', kind: 'none' } })
    const query = { limit: 2, kind: 'list' }
    const read: string[] = []
    for await (const note of client.all('/v1/notes', { params: { query } })) read.push(note.id)
    expect(read).toEqual(written)
  })

  test('throws a refusal with its code and request id', async () => {
    await using here = await scene()
    const note_id = '01890000-0000-7000-8000-000000000000'
    const problem = await refusal(
      here.client.GET('/v1/notes/{note_id}', { params: { path: { note_id } } }),
    )
    expect([problem.status, problem.code]).toEqual([404, 'note_not_found'])
    expect(problem.request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(problem.body.instance).toBe(`/v1/notes/${note_id}`)
    const invalid = await refusal(here.client.POST('/v1/notes', { body: { title: '' } }))
    expect(invalid.body.errors).toEqual([
      expect.objectContaining({ location: 'body', pointer: '/title' }),
    ])
  })

  test('repeats a write whose answer was lost under the same key, with one effect', async () => {
    await using here = await scene()
    const { client, proxy } = here
    const accounts = await twoAccounts(here)
    proxy.keys.length = 0
    proxy.trouble.push('lose_answer', 'lose_answer')
    const { data, response } = await client.POST('/v1/book/transfers', {
      body: { ...accounts, amount_minor: 7 },
    })
    expect([data.amount_minor, response.headers.get('idempotent-replayed')]).toEqual([7, 'true'])
    expect(proxy.keys).toEqual([proxy.keys[0], proxy.keys[0], proxy.keys[0]])
    expect(proxy.keys[0]).toMatch(/^[\x21-\x7e]{16,200}$/)
    expect(await balance(here, accounts.from_id)).toBe(93)
  })

  test('gives every write a key of its own, and keeps one that the caller gave', async () => {
    await using here = await scene()
    const accounts = await twoAccounts(here)
    expect(new Set(here.proxy.keys).size).toBe(2)
    const headers = { 'idempotency-key': 'the-key-of-the-caller' }
    const body = { ...accounts, amount_minor: 1 }
    await here.client.POST('/v1/book/transfers', { body, headers })
    await here.client.POST('/v1/book/transfers', { body, headers })
    expect(here.proxy.keys.slice(2)).toEqual([headers['idempotency-key'], 'the-key-of-the-caller'])
    expect(await balance(here, accounts.from_id)).toBe(99)
  })

  test('never repeats a write without a key', async () => {
    await using here = await scene({ keyed: {} })
    here.proxy.trouble.push('lose_answer')
    const lost = here.client.POST('/v1/notes', { body: { title: 'x' } })
    await expect(lost).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'connection_failed',
      message: expect.stringContaining(`POST /v1/notes got no whole answer from ${here.proxy.url}`),
    })
    here.proxy.trouble.push({ status: 503, code: 'overloaded' })
    const problem = await refusal(here.client.POST('/v1/notes', { body: { title: 'x' } }))
    expect(problem.code).toBe('overloaded')
    expect(here.proxy.keys).toEqual([undefined, undefined])
  })

  test('repeats a read until the platform has time, and not for ever', async () => {
    await using here = await scene({ retries: 2 })
    here.proxy.trouble.push('lose_answer', 'lose_answer')
    expect((await here.client.GET('/v1/notes')).data.data).toEqual([])
    here.proxy.keys.length = 0
    const busy = { status: 503, code: 'overloaded' }
    here.proxy.trouble.push(busy, { status: 429, code: 'rate_limited', retry_after: 1 })
    expect((await here.client.GET('/v1/notes')).data.data).toEqual([])
    here.proxy.trouble.push(busy, busy, busy)
    expect((await refusal(here.client.GET('/v1/notes'))).code).toBe('overloaded')
    expect(here.proxy.keys).toHaveLength(6)
  })

  test.for([
    ['a quota', { status: 429, code: 'quota_exceeded' }],
    ['a wait beyond its patience', { status: 503, code: 'overloaded', retry_after: 3600 }],
    ['a conflict', { status: 409, code: 'conflict' }],
  ] as const)('leaves %s to the caller', async ([, trouble]) => {
    await using here = await scene()
    here.proxy.trouble.push(trouble)
    expect((await refusal(here.client.GET('/v1/notes'))).code).toBe(trouble.code)
    expect(here.proxy.keys).toHaveLength(1)
  })

  test('stops waiting when the caller does', async () => {
    await using here = await scene()
    here.proxy.trouble.push({ status: 503, code: 'overloaded', retry_after: 20 })
    const caller = new AbortController()
    const call = here.client.GET('/v1/notes', { signal: caller.signal })
    const asked = eventually('it has asked', () => here.proxy.keys.length === 1)
    const gaveUp = asked.then(() => caller.abort())
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await gaveUp
    expect(here.proxy.keys).toHaveLength(1)
  })

  test('renews its token once for all who wait', async () => {
    let asked = 0
    let good = ''
    const refresh = () => Promise.resolve(good).finally(() => asked++)
    await using here = await scene({ token: 'expired', refresh })
    good = here.person.token
    const calls = Array.from({ length: 8 }, () => here.client.GET('/v1/notes'))
    const answers = await Promise.all(calls)
    expect(answers.map(({ response }) => response.status)).toEqual(calls.map(() => 200))
    await here.client.POST('/v1/notes', { body: { title: 'renewed' } })
    expect(asked).toBe(1)
  })

  test('has the operations of the document, and no others', async () => {
    const { token } = world.person()
    const api = createClient({ base_url: world.url, token })
    const names: string[] = []
    for await (const limit of api.all('/v1/limits', { params: { query: { limit: 7 } } })) {
      names.push(limit.name)
    }
    expect(names).toContain('kernel.body_limit_bytes')
    expect(new Set(names).size).toBe(names.length)
    // @ts-expect-error -- there is no such path
    expect((await refusal(api.GET('/v1/no-such/path'))).code).toBe('not_found')
    // @ts-expect-error -- the path has no such method
    expect((await refusal(api.POST('/v1/limits'))).code).toBe('method_not_allowed')
    const query = { limit: 'many' }
    // @ts-expect-error -- the parameter is no text
    expect((await refusal(api.GET('/v1/limits', { params: { query } }))).status).toBe(422)
    const params = { path: { id: 'none' } }
    // @ts-expect-error -- the parameter is misspelt, and may be left out
    expect((await refusal(api.GET('/v1/limits', { params: { query: { limt: 7 } } }))).status).toBe(
      422,
    )
    // @ts-expect-error -- the body is missing
    expect((await refusal(api.POST('/v1/event-parks/{id}/skip', { params }))).status).toBe(403)
  })

  test('refuses to compile misspelt names, also of optional members', async () => {
    await using here = await scene()
    const { client } = here
    const body = { title: 'x' }
    // @ts-expect-error -- `kind` of the body
    const noted = await refusal(client.POST('/v1/notes', { body: { title: 'x', knd: 'list' } }))
    // @ts-expect-error -- `kind` of the query
    const listed = await refusal(client.GET('/v1/notes', { params: { query: { knd: 'list' } } }))
    expect([noted.status, listed.status]).toEqual([422, 422])
    // @ts-expect-error -- `title` of the body
    expect((await refusal(client.POST('/v1/notes', { body: { titel: 'x' } }))).status).toBe(422)
    // @ts-expect-error -- `note_id` of the path
    const none = client.GET('/v1/notes/{note_id}', { params: { path: { noteid: 'x' } } })
    await expect(none).rejects.toThrow('needs params.path.note_id')
    // @ts-expect-error -- the member `body` itself
    expect((await refusal(client.POST('/v1/notes', { bodi: body }))).status).toBe(422)
    const { data } = await client.GET('/v1/notes', { parseAs: 'text' })
    expect(data.toUpperCase()).toContain('DATA')
  })

  test('throws the 401 that a new token does not mend', async () => {
    let asked = 0
    const refresh = () => Promise.resolve(`still-bad-${++asked}`)
    await using here = await scene({ token: 'expired', refresh })
    expect((await refusal(here.client.GET('/v1/notes'))).code).toBe('invalid_token')
    expect([asked, here.proxy.keys.length]).toEqual([1, 2])
  })
})

describe('the package', () => {
  test('compiles with the TypeScript that its users have', async () => {
    await ensureGenerated()
    const tsc = resolve(root, 'client/node_modules/typescript/bin/tsc')
    const run = promisify(execFile)(process.execPath, [
      tsc,
      '-p',
      resolve(root, 'client'),
      '--noEmit',
    ])
    await expect(run).resolves.toMatchObject({ stdout: '' })
  })
})
