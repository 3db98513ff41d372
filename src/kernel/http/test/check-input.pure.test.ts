/** The check of a body: maps, and bodies that hold far more entries than their schema allows. */
import { Type, type TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../errors/problem.ts'
import { inputCheck } from '../server/check-input.ts'
import { jsonFault } from '../input/json-fault.ts'
import type { Refuses } from '../input/known-fields.ts'
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

type Checked = { body?: unknown; dropped?: string[]; errors?: string[]; detail?: string }

/** Returns the body that the handler gets, or the errors as `pointer constraint`. */
function check(body: unknown, schema: TObject = Body, refuses: Refuses = {}): Checked {
  const dropped: string[] = []
  const route = { method: 'POST', path: '/v1/things', body: schema, refuses } as unknown as Route
  try {
    return { body: inputCheck(route)({}, body, dropped).body, dropped }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { errors = [], detail = '' } = error.details
    return { errors: errors.map(one => `${one.pointer} ${one.constraint}`), detail }
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
    expect(check(body, Forms)).toEqual({ errors: [' oneOf'], detail: sentence })
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
    [{ expiresAt: 'x' }, '/expiresAt', 'expires_at'],
    [{ 'EXPIRES-AT': 'x' }, '/EXPIRES-AT', 'expires_at'],
    [{ policy: { maxClicks: 1 } }, '/policy/maxClicks', 'max_clicks'],
    [{ rules: [{}, { MaxClicks: 1 }] }, '/rules/1/MaxClicks', 'max_clicks'],
    [{ policy: { expires_at: 'x' } }, '/policy/expires_at', 'expires_at'],
    [{ max_clicks: 1 }, '/max_clicks', 'policy.max_clicks'],
    [{ expire_at: 'x' }, '/expire_at', 'expires_at'],
    [{ policy: { max_click: 1 } }, '/policy/max_click', 'max_clicks'],
  ] as const)('is refused in another spelling or place: %j', ([body, pointer, name]) => {
    const { errors, detail } = check(body, Link)
    expect(errors).toEqual([`${pointer} unsupported`])
    expect(detail).toContain(`Use \`${name}\` instead`)
  })

  test('has a name that is free in a map', () => {
    const body = { metadata: { expiresAt: 'x', expires_at: 'x' } }
    expect(check(body, Link)).toEqual({ body, dropped: [] })
  })
})

describe('a parameter of the query', () => {
  const query = closed({ account_id: Type.Optional(Id), type: Type.Optional(text(9)) })
  const ask = (given: object, permission = 'authenticated') => {
    const route = { method: 'GET', path: '/v1/things', query, permission } as unknown as Route
    const dropped: string[] = []
    inputCheck(route)(given, undefined, dropped)
    return dropped
  }

  test.for(['acount_id', 'accountId', 'status', 'dry_run', 'custmer_id', 'serch'])(
    'is refused: %s',
    name => {
      expect(() => ask({ [name]: 'x' })).toThrow(
        expect.objectContaining({ code: 'unsupported_field' }),
      )
    },
  )

  test('is dropped if it narrows nothing, or if anybody may ask', () => {
    expect(ask({ type: 'x', utm_source: 'y' })).toEqual(['?utm_source'])
    expect(ask({ status: 'x' }, 'public')).toEqual(['?status'])
  })
})

test('a name that restricts elsewhere is refused where it is not known', () => {
  for (const name of [
    'not_before',
    'maxUses',
    'disabled',
    'dry_run',
    'timeout_seconds',
    'is_private',
  ])
    expect(check({ [name]: 1 }).errors).toEqual([`/${name} unsupported`])
  const Own = closed({ disabled: Type.Optional(Type.Boolean()) })
  expect(check({ disabled: true }, Own).body).toEqual({ disabled: true })
})

test('a name that is refused is refused in any spelling, and others are not', () => {
  const refuses = { max_visits: null, password: 'policy' }
  for (const name of ['max_visits', 'maxVisits', 'Password', 'PASSWORD', 'pass-word']) {
    expect(check({ [name]: 1 }, Body, refuses).errors).toEqual([`/${name} unsupported`])
  }
  expect(check({ visits: 1, passwords: 1 }, Body, refuses).dropped).toEqual([
    '/visits',
    '/passwords',
  ])
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

  test('drops and names unknown members of its values', () => {
    const { body, dropped } = check({ locales: { de: { name: 'x', more: 1 } } })
    expect(body).toEqual({ locales: { de: { name: 'x' } } })
    expect(dropped).toEqual(['/locales/de/more'])
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
