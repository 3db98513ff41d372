/** Which operations models reach, what they read about them, and how arguments become a request. */
import { type TObject, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { catalogOf, Problem } from '../../errors/problem.ts'
import { StartError } from '../../errors/start-error.ts'
import type { Route } from '../contract/route.ts'
import { closed, Id, nullable, text, Time } from '../contract/shapes.ts'
import { compileRoute } from '../server/compile-route.ts'
import { requestOf } from '../tools/arguments.ts'
import { inputOf } from '../tools/input-schema.ts'
import { whyNever } from '../tools/never.ts'
import { checkTools, operationsOf, type Operation } from '../tools/operations.ts'

const Book = Type.Object({ id: Id, title: text(100) })
const NewBook = closed({ title: text(100), note: Type.Optional(nullable(text(500))) })

function bookRoute(more: Partial<Route> = {}): Route {
  return {
    method: 'POST',
    path: '/v1/shelves/{shelf_id}/books',
    name: 'addBook',
    summary: 'Add a book',
    permission: 'authenticated',
    body: NewBook,
    replies: { 201: Book },
    handle: () => ({ status: 201, body: null, headers: {} }),
    ...more,
  }
}

function operation(more: Partial<Route> = {}): Operation {
  const options = {
    strict: true,
    catalog: catalogOf([]),
    body_limit_bytes: 1000,
    surface_of: new Map(),
  }
  const [found] = operationsOf([compileRoute(bookRoute(more), options)], new Map()).values()
  if (!found) throw new Error('models do not reach it')
  return found
}

const stream = () => Promise.resolve((async function* () {})())
const withMember = (name: string, schema = text(300)) => ({
  replies: { 200: Type.Object({ data: Type.Array(Type.Object({ [name]: schema })) }) },
})

function refused(route: Route): boolean {
  try {
    checkTools([route])
    return false
  } catch (error) {
    return error instanceof StartError
  }
}

describe('models never reach', () => {
  test.each<[string, Partial<Route>, RegExp]>([
    ['what says so', { tool: 'never' }, /says/],
    ['a secret that is shown once', { record: 'sealed' }, /secret/],
    ['what needs a recent log-in', { fails: ['step_up_required'] }, /log-in/],
    ['a stream', { stream }, /JSON/],
    ['bytes', { consumes: 'raw' }, /JSON/],
    ['a page', { produces: ['text/html'] }, /JSON/],
    ['a body that is no object', { body: Type.Array(text(10)) }, /JSON/],
    ['a write that takes no key', { method: 'PATCH' }, /Idempotency-Key/],
    ['what needs no account', { permission: 'public', method: 'POST' }, /credential/],
    [
      'what another kind of caller uses',
      { permission: 'public', method: 'GET', takes: 'signature' },
      /credential/,
    ],
    ['what is hidden', { hidden: true }, /document/],
    ['a token', withMember('lease_token'), /opens/],
    ['a secret', withMember('client_secret'), /opens/],
    ['a signed address', withMember('download_url'), /opens/],
    [
      'an address that expires',
      { replies: { 200: Type.Object({ url: text(300), expires_at: Time }) } },
      /opens/,
    ],
    ['a password', { body: closed({ password: text(100) }) }, /credential/],
    ['two arguments of one name', { body: closed({ shelf_id: Id }) }, /two arguments/],
  ])('%s', (_what, more, why) => {
    expect(whyNever(bookRoute(more))).toMatch(why)
    const declared = bookRoute({ ...more, tool: 'write' })
    expect(more.tool === 'never' || refused(declared)).toBe(true)
    expect(() => checkTools([bookRoute({ ...more, tool: 'never' })])).not.toThrow()
  })

  test('what a cursor is, which opens nothing', () => {
    expect(whyNever(bookRoute(withMember('next_cursor')))).toBeNull()
    expect(whyNever(bookRoute())).toBeNull()
  })
})

test('what was not declared is only found, and asks first where it writes', () => {
  expect(operation()).toMatchObject({ name: 'addBook', is_tool: false, mode: 'confirm' })
  expect(operation({ method: 'GET' })).toMatchObject({ is_tool: false, mode: 'read' })
  expect(operation({ tool: 'write' })).toMatchObject({ is_tool: true, mode: 'write' })
})

test('the input has one object, with what a model must know', () => {
  const query = closed({ dry: Type.Optional(Type.Boolean()) }) as TObject
  expect(inputOf(bookRoute({ query, fails: ['precondition_failed'] }))).toEqual({
    type: 'object',
    properties: {
      shelf_id: { type: 'string', format: 'uuid' },
      dry: { type: 'boolean' },
      title: { type: 'string' },
      note: { type: ['string', 'null'] },
      if_match: { type: 'integer', description: expect.stringContaining('version') },
    },
    required: ['shelf_id', 'title'],
    additionalProperties: false,
  })
})

describe('arguments', () => {
  const shelf_id = '019c8f3a-5b20-7d41-9e6b-2f1c40d7a961'
  const query = closed({
    limit: Type.Optional(Type.Integer()),
    tags: Type.Optional(text(10)),
  }) as TObject

  test('go where the operation takes them', () => {
    const asked = { shelf_id, title: 'Letters', limit: 5, tags: null, if_match: 3 }
    const key = 'tool-0123456789'
    expect(requestOf(operation({ query, fails: ['precondition_failed'] }), asked, key)).toEqual({
      params: { shelf_id },
      path: `/v1/shelves/${shelf_id}/books`,
      query: { limit: '5' },
      body: { title: 'Letters' },
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': key,
        'if-match': '"3"',
      },
    })
  })

  test('that are unknown are kept, so that they are refused', () => {
    const given = { shelf_id, title: 'Letters', autor: 'A' }
    expect(requestOf(operation(), given, undefined).body).toEqual({ title: 'Letters', autor: 'A' })
    const reading = operation({ method: 'GET', body: undefined })
    expect(requestOf(reading, { shelf_id, q: 1 }, undefined).query).toEqual({ q: '1' })
  })

  test('cannot lead to another path', () => {
    const { path } = requestOf(operation(), { shelf_id: '../../v1/me?x=1', title: 'a' }, undefined)
    expect(path).toBe('/v1/shelves/..%2F..%2Fv1%2Fme%3Fx%3D1/books')
  })

  test('of the path must be there', () => {
    const missing = () => requestOf(operation(), { title: 'Letters' }, undefined)
    expect(missing).toThrow(Problem)
    expect(missing).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        details: expect.objectContaining({ detail: '`shelf_id` is required.' }),
      }),
    )
  })

  test('have the limits of a body, and no other prototype', () => {
    const long = { shelf_id, title: 'a'.repeat(1000) }
    expect(() => requestOf(operation(), long, undefined)).toThrow(
      expect.objectContaining({ code: 'content_too_large' }),
    )
    const unfit = { shelf_id, title: 'a\u0000' }
    expect(() => requestOf(operation(), unfit, undefined)).toThrow(
      expect.objectContaining({ code: 'invalid_character' }),
    )
    const given = JSON.parse(`{"shelf_id": "${shelf_id}", "__proto__": {"title": "a"}}`) as object
    expect(() => requestOf(operation(), given as never, undefined)).toThrow(/__proto__/)
  })

  test('of the body may be left out where the body may be', () => {
    const body_optional = true as const
    expect(requestOf(operation({ body_optional }), { shelf_id }, undefined).body).toBeUndefined()
  })
})
