/** The check of a body: maps, and bodies that hold far more entries than their schema allows. */
import { Type, type TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../errors/problem.ts'
import { inputCheck } from '../server/check-input.ts'
import { jsonFault } from '../input/json-fault.ts'
import type { Instead } from '../input/known-fields.ts'
import type { Route } from '../contract/route.ts'
import { closed, Id, map, nullable, text } from '../contract/shapes.ts'

const Value = Type.Union([text(5), Type.Number(), Type.Boolean()])
const Item = closed({ name: text(5), note: Type.Optional(nullable(text(5))) })
const Body = closed({
  metadata: Type.Optional(map(text(8), Value, 3)),
  locales: Type.Optional(map(Type.String({ pattern: '^[a-z]{2}$' }), Item, 3)),
  items: Type.Optional(Type.Array(Item, { maxItems: 3 })),
  input: Type.Optional(Type.Union([text(5), Type.Array(Value, { maxItems: 3 })])),
})

type Checked = { body?: unknown; code?: string; errors?: string[]; detail?: string }

/** Returns the body that the handler gets, or the errors as `pointer constraint`. */
function check(body: unknown, schema: TObject | null = Body, instead: Instead = {}): Checked {
  const route = { method: 'POST', path: '/v1/things', body: schema, instead } as unknown as Route
  try {
    return { body: inputCheck(route)({}, body).body }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { errors = [], detail = '' } = error.details
    return {
      code: error.code,
      errors: errors.map(one => `${one.pointer} ${one.constraint}`),
      detail,
    }
  }
}

describe('an id', () => {
  const Ids = closed({
    owner: Type.Optional(nullable(Id)),
    members: Type.Optional(Type.Array(Id, { uniqueItems: true, maxItems: 3 })),
  })
  const id = '0197a3b2-7c11-7d2e-9a4b-3f5d6e7c8a90'

  test('is passed on in lower case', () => {
    const given = { owner: id.toUpperCase(), members: [id.toUpperCase()] }
    expect(check(given, Ids).body).toEqual({ owner: id, members: [id] })
    expect(check({ owner: null }, Ids).body).toEqual({ owner: null })
  })

  test('that is none is refused with one sentence', () => {
    const { errors, detail } = check({ owner: 'ann', members: ['ben@example.com'] }, Ids)
    expect(errors).toEqual(['/owner format', '/members/0 format'])
    expect(detail).toContain('`owner` must be a UUID')
  })

  test('is one id in any letter case', () => {
    expect(check({ members: [id, id.toUpperCase()] }, Ids).errors).toEqual(['/members uniqueItems'])
  })
})

test('a byte order mark before a body is named, because no editor shows it', () => {
  expect(jsonFault('\ufeff{}')).toContain('byte order mark')
  expect(jsonFault('{')).toContain('ends too early')
})

test('of a body with several forms, one sentence lists the forms', () => {
  const Forms = Type.Object(
    {
      email: Type.Optional(text(50)),
      password: Type.Optional(text(50)),
      ticket: Type.Optional(text(50)),
    },
    {
      additionalProperties: false,
      oneOf: [{ required: ['email', 'password'] }, { required: ['ticket'] }],
    },
  )
  const sentence = 'The body must have exactly one of these: `email` with `password` or `ticket`.'
  for (const body of [{}, { email: 'a' }, { email: 'a', password: 'b', ticket: 'c' }]) {
    expect(check(body, Forms)).toMatchObject({ errors: [' oneOf'], detail: sentence })
  }
  expect(check({ ticket: 'c' }, Forms).errors).toBeUndefined()
})

describe('a known member', () => {
  const Policy = closed({ max_clicks: Type.Optional(Type.Integer()) })
  const Link = closed({
    expires_at: Type.Optional(text(50)),
    policy: Type.Optional(nullable(Policy)),
    rules: Type.Optional(Type.Array(Policy, { maxItems: 3 })),
    metadata: Type.Optional(map(text(50), text(50), 3)),
  })

  test.for([
    [{ expiresAt: 'x' }, '/expiresAt', 'Use `expires_at` instead'],
    [{ 'EXPIRES-AT': 'x' }, '/EXPIRES-AT', 'Use `expires_at` instead'],
    [{ policy: { maxClicks: 1 } }, '/policy/maxClicks', 'Use `max_clicks` instead'],
    [{ rules: [{}, { MaxClicks: 1 }] }, '/rules/1/MaxClicks', 'Use `max_clicks` instead'],
    [{ policy: { expires_at: 'x' } }, '/policy/expires_at', 'Use `expires_at` instead'],
    [{ max_clicks: 1 }, '/max_clicks', 'Use `policy.max_clicks` instead'],
    [{ expire_at: 'x' }, '/expire_at', 'the nearest is `expires_at`'],
    [{ policy: { max_click: 1 } }, '/policy/max_click', 'the nearest is `max_clicks`'],
    [{ policy: null, ruels: [] }, '/ruels', 'the nearest is `rules`'],
  ] as const)('is refused in another spelling or place: %j', ([body, pointer, words]) => {
    const { code, errors, detail } = check(body, Link)
    expect([code, errors]).toEqual(['unsupported_field', [`${pointer} unknown`]])
    expect(detail).toContain(words)
  })

  test('has a name that is free in a map', () => {
    const body = { metadata: { expiresAt: 'x', expires_at: 'x' } }
    expect(check(body, Link)).toEqual({ body })
  })
})

describe('what is not known', () => {
  const query = closed({ account_id: Type.Optional(Id), type: Type.Optional(text(9)) })
  const ask = (given: object, more: object = {}) => {
    const route = { method: 'GET', path: '/v1/things', query, ...more } as unknown as Route
    return inputCheck(route)(given, undefined).query
  }

  test.for(['acount_id', 'accountId', 'status', 'dry_run', 'tpe', 'type[]', 'utm_source'])(
    'is refused in a query: %s',
    name => {
      expect(() => ask({ [name]: 'x' })).toThrow(
        expect.objectContaining({ code: 'unsupported_field' }),
      )
      expect(() => ask({ [name]: 'x' }, { query: undefined })).toThrow(
        expect.objectContaining({ code: 'unsupported_field' }),
      )
    },
  )

  test('is not read where visitors bring it', () => {
    expect(ask({ type: 'x', utm_source: 'y' }, { foreign_query: true })).toEqual({ type: 'x' })
    expect(ask({ status: 'x' }, { hidden: true })).toEqual({})
  })

  test('is refused where there is no body, and an empty one is not', () => {
    expect(check({ except_current: true }, null).errors).toEqual(['/except_current unknown'])
    expect(check({}, null)).toEqual({ body: undefined })
  })

  test('is named beside what else is wrong', () => {
    const { code, errors } = check({ metadata: 1, more: 2 })
    expect([code, errors]).toEqual(['unsupported_field', ['/more unknown', '/metadata type']])
  })

  test('has a hint in any spelling', () => {
    for (const name of ['password', 'Password', 'pass-word']) {
      const { errors, detail } = check({ [name]: 1 }, Body, { password: 'items' })
      expect([errors, detail]).toEqual([
        [`/${name} unknown`],
        `\`${name}\` is not known here. Use \`items\` instead.`,
      ])
    }
  })
})

describe('a map', () => {
  test('is passed on as it is', () => {
    const body = { metadata: { a: 'b', c: 1, '': true } }
    expect(check({ metadata: { a: 'b', c: 1 } }).body).toEqual({ metadata: { a: 'b', c: 1 } })
    expect(check(body).errors).toEqual(['/metadata/ propertyNames'])
  })

  test.for([
    [{ metadata: { 'too-long-a': 'b' } }, '/metadata/too-long-a propertyNames', 'at most 8 char'],
    [{ metadata: { 'a/b~': null } }, '/metadata/a~1b~0 type', 'a text or a number'],
    [{ metadata: { 'a\nb': null } }, '/metadata/a\nb type', 'a text or a number'],
    [{ metadata: { a: 'too long' } }, '/metadata/a maxLength', 'at most 5 characters'],
    [{ metadata: { a: 1, b: 1, c: 1, d: 1 } }, '/metadata maxProperties', 'at most 3 members'],
    [{ locales: { DE: { name: 'x' } } }, '/locales/DE propertyNames', 'matches ^[a-z]{2}$'],
  ] as const)('refuses %j', ([body, error, words]) => {
    const { errors, detail } = check(body)
    expect(errors).toEqual([error])
    expect(detail).toContain(words)
  })

  test('has values without unknown members', () => {
    const { errors } = check({ locales: { de: { name: 'x', more: 1 } } })
    expect(errors).toEqual(['/locales/de/more unknown'])
  })

  test('shortens the pointer to a name without end', () => {
    const { errors } = check({ metadata: { ['x'.repeat(100_000)]: 'b' } })
    expect(errors?.[0]?.length).toBeLessThan(1000)
  })
})

describe('a body with far too many entries', () => {
  const many = 19_000

  test('is refused without looking at each wrong member of a map', () => {
    const metadata = Object.fromEntries(Array.from({ length: many }, (_, at) => [`m${at}`, null]))
    const { errors } = check({ metadata })
    expect(errors).toEqual([
      '/metadata maxProperties',
      ...[0, 1, 2, 3].map(at => `/metadata/m${at} type`),
    ])
  })

  test('is refused without looking at each wrong item of a list', () => {
    const { errors } = check({ items: Array.from({ length: many }, () => 0) })
    expect(errors).toEqual(['/items maxItems', ...[0, 1, 2, 3].map(at => `/items/${at} type`)])
    const input = check({ input: Array.from({ length: many }, () => null) })
    expect(input.errors).toEqual([
      '/input maxItems',
      ...[0, 1, 2, 3].map(at => `/input/${at} type`),
    ])
  })

  test('is refused in one pass over the errors of a list without a limit', () => {
    const schema = closed({ open: Type.Array(Value) })
    const { errors } = check({ open: Array.from({ length: many }, () => null) }, schema)
    expect(errors?.slice(0, 2)).toEqual(['/open/0 type', '/open/1 type'])
    expect(errors).toHaveLength(20)
  })
})

test('the errors of an item are not those of another item whose name begins alike', () => {
  const { errors } = check({ metadata: { ab: 'too long', a: 'too long' } })
  expect(errors).toEqual(['/metadata/ab maxLength', '/metadata/a maxLength'])
})
