/** What a scope allows: of routes, and of the grants that are held. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { permissionCatalog, type Permission } from '../permissions.ts'
import { covers, missingScope, scopeWords, withinScope, type Reached } from '../scopes.ts'

const member: Permission = { says: '', roles: ['member', 'admin'] }
const permissions = permissionCatalog([
  {
    'shop.carts.use': member,
    'shop.carts.read_any': { says: '', roles: ['admin'] },
    'shop.jobs.submit': { ...member, typed: true },
    'chat.rooms.use': member,
    'chat.rooms.purge': { says: '', roles: ['admin'], typed: true },
  },
])
const words = scopeWords(permissions, ['shop', 'chat'])
const held = new Set([
  'shop.carts.use',
  'shop.carts.read_any',
  'shop.jobs.submit:*',
  'chat.rooms.use',
  'chat.rooms.purge:old',
  'chat.rooms.purge:new',
])

const shop = { surface: 'shop', permission: null, method: 'GET' } as const
const missing = (reached: Partial<Reached>, ...scope: string[]) =>
  missingScope(permissions, { ...shop, ...reached }, { scope: new Set(scope) })

describe('a route of a surface', () => {
  test.each<[string, Partial<Reached>, string[], string | null]>([
    ['a read needs the read word', {}, [], 'shop.read'],
    ['of its own surface', {}, ['chat.read', 'chat.write'], 'shop.read'],
    ['and has it', {}, ['shop.read'], null],
    ['HEAD is a read', { method: 'HEAD' }, ['shop.read'], null],
    ['the write word also reads', {}, ['shop.write'], null],
    ['a write needs the write word', { method: 'POST' }, ['shop.read'], 'shop.write'],
    ['a permission is asked by name', { permission: 'shop.carts.use' }, [], 'shop.carts.use'],
    ['or by the surface', { permission: 'shop.carts.use' }, ['shop.read'], null],
    [
      'by the surface to write only with the write word',
      { permission: 'shop.carts.use', method: 'PUT' },
      ['shop.read'],
      'shop.carts.use',
    ],
    [
      'a permission that members have not only by its name',
      { permission: 'shop.carts.read_any' },
      ['shop.read', 'shop.write'],
      'shop.carts.read_any',
    ],
    ['and has that', { permission: 'shop.carts.read_any' }, ['shop.carts.read_any'], null],
    ['a typed one by any type', { permission: 'chat.rooms.purge' }, ['chat.rooms.purge:old'], null],
    [
      'a name is no prefix',
      { permission: 'shop.carts.use' },
      ['shop.carts.user'],
      'shop.carts.use',
    ],
    ['what it declares takes the place', { narrow: 'shop.write' }, ['shop.read'], 'shop.write'],
    ['what is open to any needs none', { narrow: 'any' }, [], null],
  ])('%s', (_says, reached, scope, word) => {
    expect(missing(reached, ...scope)).toBe(word)
  })
})

describe('a route of identity or of the platform', () => {
  const closed = { surface: null }
  test.each<[string, Partial<Reached>, string[], string | null]>([
    ['is closed to every word', { permission: 'shop.carts.use' }, words, ''],
    ['unless it declares one', { narrow: 'openid' }, words, null],
    ['which the scope must have', { narrow: 'openid' }, ['email'], 'openid'],
  ])('%s', (_says, reached, scope, word) => {
    expect(missing({ ...closed, ...reached }, ...scope)).toBe(word)
  })

  test('a session that is bound away from home reaches what is declared, and no factors', () => {
    const away = (reached: Partial<Reached>) =>
      missingScope(permissions, { ...shop, ...closed, ...reached }, { away: true })
    expect([away({}), away({ narrow: 'openid' }), away({ narrow: 'any' })]).toEqual([
      '',
      null,
      null,
    ])
    expect(away({ narrow: 'enrolment' })).toBe('')
    expect(away({ narrow: 'anonymous' })).toBe('')
    expect(missingScope(permissions, { ...shop, method: 'POST' }, { away: true })).toBeNull()
  })
})

describe('the grants within a scope', () => {
  const within = (scope: string[], method?: string) =>
    [...withinScope(permissions, new Set(scope), held, method)].sort()
  test.each<[string, string[], string | undefined, string[]]>([
    ['none', [], 'GET', []],
    ['by name', ['shop.carts.read_any'], 'POST', ['shop.carts.read_any']],
    [
      'of all types, the types that are held',
      ['chat.rooms.purge:*'],
      'POST',
      ['chat.rooms.purge:new', 'chat.rooms.purge:old'],
    ],
    ['of a type, from all types', ['shop.jobs.submit:a'], 'POST', ['shop.jobs.submit:a']],
    ['of a type that is not held', ['chat.rooms.purge:other'], 'POST', []],
    ['reading', ['shop.read'], 'GET', ['shop.carts.use', 'shop.jobs.submit:*']],
    ['reading does not write', ['shop.read'], 'POST', []],
    ['later work has no method', ['shop.read', 'chat.write'], undefined, ['chat.rooms.use']],
  ])('%s', (_says, scope, method, grants) => {
    expect(within(scope, method)).toEqual(grants)
  })

  const anyScope = fc.subarray([...words, 'chat.rooms.purge:old', 'unknown', ''])
  const anyMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE')

  test('are never more than what is held, and grow with the scope', () => {
    fc.assert(
      fc.property(anyScope, anyScope, anyMethod, (some, more, method) => {
        const narrow = within(some, method)
        const wide = within([...some, ...more], method)
        for (const grant of narrow) expect(wide).toContain(grant)
        const all = [...held, 'shop.jobs.submit:a']
        for (const grant of wide) expect(all).toContain(grant)
      }),
    )
  })

  test('are those that the scope covers', () => {
    fc.assert(
      fc.property(anyScope, anyMethod, fc.constantFrom(...held), (scope, method, grant) => {
        const has = within(scope, method).includes(grant)
        expect(covers(permissions, new Set(scope), grant, method)).toBe(has)
      }),
    )
  })
})
