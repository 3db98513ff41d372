/** JSON Schemas from outside: checked as ajv checks them, in a counted number of steps. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../json-schema.ts'
import { compilePattern } from '../pattern.ts'
import { shapeSchema, subschemas_max } from '../schema-shape.ts'
import { Refused, steps_max, TooMuchWork, Work } from '../work.ts'

const words = fc.constantFrom('a', 'b', 'aa', 'b1')
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, 2.5, 'a', 'aa', 'b1', 'ä'),
    fc.array(tie('any'), { maxLength: 4 }),
    // As JSON.parse makes them: ajv compares prototypes, too.
    fc.dictionary(words, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any
const simple: readonly (object | boolean)[] = [
  true,
  false,
  { type: 'string' },
  { type: ['number', 'null'] },
  { minLength: 2 },
  { pattern: '^a' },
  { pattern: '[0-9]$' },
  { uniqueItems: true },
  { minimum: 1 },
  { enum: ['a', 1, { a: 1 }] },
  { const: [1] },
  { required: ['a'] },
  { maxItems: 2 },
  { $ref: '#/$defs/text' },
  { dependentRequired: { a: ['b'] } },
  { maxProperties: 1 },
]
const schema = fc.letrec<{ any: object | boolean }>(tie => {
  const part = tie('any')
  const parts = fc.array(part, { minLength: 1, maxLength: 2 })
  const one = fc.oneof(
    fc.dictionary(words, part, { maxKeys: 2 }).map(properties => ({ properties })),
    fc
      .dictionary(fc.constantFrom('^a', 'b'), part, { maxKeys: 2 })
      .map(patternProperties => ({ patternProperties })),
    part.map(additionalProperties => ({ additionalProperties })),
    part.map(propertyNames => ({ propertyNames })),
    part.map(items => ({ items })),
    parts.map(prefixItems => ({ prefixItems })),
    part.map(contains => ({ contains })),
    part.map(not => ({ not })),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    fc.record({ if: part, then: part, else: part }),
    parts.map(allOf => ({ allOf })),
    parts.map(anyOf => ({ anyOf })),
    parts.map(oneOf => ({ oneOf })),
    part.map(unevaluatedProperties => ({ unevaluatedProperties })),
    part.map(unevaluatedItems => ({ unevaluatedItems })),
    fc.dictionary(words, part, { maxKeys: 1 }).map(dependentSchemas => ({ dependentSchemas })),
  )
  return {
    any: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<object | boolean>(...simple),
      fc.array(one, { minLength: 1, maxLength: 2 }).map(of => Object.assign({}, ...of) as object),
    ),
  }
}).any

/** ajv throws where it checks `unevaluatedProperties` beside `patternProperties`. */
function endsWell(check: (value: unknown) => unknown, value: unknown): boolean {
  try {
    check(value)
    return true
  } catch {
    return false
  }
}

test('fits what fits ajv alone', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      schema,
      fc.array(value, { minLength: 1, maxLength: 6 }),
      async (part, values) => {
        const whole = { allOf: [part], $defs: { text: { type: 'string' } } }
        const oracle = new Ajv2020({ strict: false, logger: false }).compile(whole)
        const fits = await compileSchema(whole)
        for (const one of values) {
          if (!endsWell(oracle, one)) continue
          expect([whole, one, (await fits(one, '')).length === 0]).toEqual([
            whole,
            one,
            oracle(one),
          ])
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  )
})

test('a schema on which ajv itself fails fits nothing, and ends no request', async () => {
  const fits = await compileSchema({
    anyOf: [{ unevaluatedProperties: { type: 'string' } }, true],
    patternProperties: { '^a': { oneOf: [true] } },
  })
  expect(await fits({}, '')).toEqual([])
  const [fault] = await fits({ a: [] }, '')
  expect(fault?.constraint).toBe('unevaluatedProperties')
})

const list = (length: number) => Array.from({ length }, (_, n) => ({ n, text: `item ${n}` }))

describe('what grows faster than its input', () => {
  test('unique items are found with a set', async () => {
    const fits = await compileSchema({ items: {}, uniqueItems: true })
    expect(await fits(list(5000), '')).toEqual([])
    const [fault] = await fits([...list(5000), { text: 'item 7', n: 7 }], '')
    expect(fault?.constraint).toBe('uniqueItems')
  })

  const doubling = (depth: number) => {
    const level = (n: number) => ({ anyOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] })
    const levels = Array.from({ length: depth }, (_, n) => [`d${n}`, level(n + 1)] as const)
    return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), [`d${depth}`]: false } }
  }

  test.each<[string, object, unknown]>([
    ['references that double with each level', doubling(36), 1],
    [
      'many alternatives for many items',
      { items: { anyOf: Array.from({ length: 110 }, (_, n) => ({ const: n })) } },
      Array.from({ length: 5000 }, () => 109),
    ],
    [
      'a long pattern over a long text',
      { pattern: '(?:[ab]?){500}[^x]{400}$' },
      'ab'.repeat(20_000),
    ],
    [
      'unique items at every level of a reference',
      {
        ...doubling(12),
        $defs: { ...doubling(12).$defs, d12: { uniqueItems: true, maxItems: 1 } },
      },
      list(1000),
    ],
  ])('%s end at the limit', async (_name, given, data) => {
    const fits = await compileSchema(given)
    expect(await fits(data, '/x')).toEqual([
      { location: 'body', pointer: '/x', constraint: 'work' },
    ])
  })

  test('a schema is refused with its place', async () => {
    const many = Array.from({ length: subschemas_max + 1 }, () => ({}))
    await expect(compileSchema({ anyOf: many })).rejects.toThrow(`at most ${subschemas_max}`)
    const wide = { enum: Array.from({ length: 30_000 }, (_, n) => n) }
    await expect(compileSchema(wide)).rejects.toThrow('at most')
    const nested = { properties: { 'a/b': { pattern: '(?=a)' } } }
    await expect(compileSchema(nested)).rejects.toThrow(
      expect.objectContaining({ pointer: '/properties/a~1b/pattern' }),
    )
    await expect(compileSchema({ $dynamicRef: '#x' })).rejects.toThrow('instead of $dynamicRef')
  })

  test.for<[object]>([
    [{ $ref: '#' }],
    [{ anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    [{ $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } }],
    [{ $anchor: 'top', if: { allOf: [{ $ref: '#top' }] } }],
    [{ dependentSchemas: { a: { $ref: '#' } } }],
  ])('a schema that leads back to itself on the same value is refused: %j', async ([schema]) => {
    await expect(compileSchema(schema)).rejects.toThrow('lead back to itself')
  })

  test('a schema of trees is accepted', async () => {
    const tree = { type: 'object', properties: { children: { items: { $ref: '#' } } } }
    const fits = await compileSchema(tree)
    expect(await fits({ children: [{ children: [] }] }, '')).toEqual([])
    expect(await fits({ children: [{ children: [1] }] }, '')).toHaveLength(1)
  })
})

/** Pieces that explode where they are nested; put together at random. */
const evil = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      'a',
      '(a|a)',
      '(a|aa)',
      '.',
      '\\w',
      '[^b]',
      '(.*)',
      '(a*)',
      '\\p{L}',
      '(?=a)',
      '\\1',
    ),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '{1,50}', '{20}', '?', '{0,9999}'))
      .map(([of, times]) => `(?:${of})${times}`),
    fc.array(tie('node'), { minLength: 2, maxLength: 4 }).map(of => of.join('')),
    fc.array(tie('node'), { minLength: 2, maxLength: 4 }).map(of => `(${of.join('|')})`),
  ),
})).node
const evil_texts = fc.constantFrom('a', 'aa', 'ab', 'é', 'a\n').map(unit => `${unit.repeat(400)}!`)

const evil_schema = fc.letrec<{ node: object }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<object>(
      { $ref: '#' },
      { $ref: '#/$defs/a' },
      { $ref: '#/$defs/b' },
      { uniqueItems: true },
      { enum: list(200) },
    ),
    evil.map(source => ({ pattern: source })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(oneOf => ({ oneOf })),
    tie('node').map(items => ({ items, uniqueItems: true })),
    tie('node').map(not => ({ not })),
    tie('node').map(additionalProperties => ({ additionalProperties })),
    fc.tuple(evil, tie('node')).map(([name, one]) => ({ patternProperties: { [name]: one } })),
    tie('node').map(unevaluatedItems => ({ unevaluatedItems, contains: unevaluatedItems })),
  ),
})).node
const evil_values = fc.constantFrom<unknown>(
  list(300),
  list(300).map(one => [one, one, 'a'.repeat(200)]),
  Object.fromEntries(list(300).map(({ n }) => [`a${n}`.repeat(9), [n]])),
  `${'a'.repeat(5000)}!`,
)

describe('10,000 hostile inputs', { timeout: 60_000 }, () => {
  test('9,800 patterns: each is refused, or ends within its steps', () => {
    const seen = { refused: 0, stopped: 0, ended: 0 }
    fc.assert(
      fc.property(evil, evil_texts, (source, text) => {
        const work = new Work(10_000)
        try {
          compilePattern(source).test(text, work)
          seen.ended++
        } catch (error) {
          if (error instanceof Refused) seen.refused++
          else if (error instanceof TooMuchWork) seen.stopped++
          else throw error
        }
        // What one character costs is spent after it: no more than the program twice.
        expect(work.steps_left).toBeGreaterThan(-20_000)
      }),
      { numRuns: 9800, endOnFailure: true },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
  })

  test('200 schemas: each is refused, or ends within its steps', async () => {
    const seen = { refused: 0, stopped: 0, ended: 0 }
    await fc.assert(
      fc.asyncProperty(evil_schema, evil_schema, evil_values, async (one, other, data) => {
        const whole = { allOf: [one, other], $defs: { a: one, b: other } }
        try {
          const fits = await compileSchema(whole, 20_000)
          const [fault] = await fits(data, '')
          if (fault?.constraint === 'work') seen.stopped++
          else seen.ended++
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          seen.refused++
        }
      }),
      { numRuns: 200, endOnFailure: true },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5)
  })
})

test('the limits leave room for what is meant', async () => {
  const address = { type: 'object', properties: { city: { type: 'string', pattern: '^\\p{Lu}' } } }
  const schema = { type: 'array', items: address, uniqueItems: true, maxItems: 2500 }
  const cities = Array.from({ length: 2500 }, (_, n) => ({ city: `Oslo ${n}` }))
  const fits = await compileSchema(schema)
  expect(await fits(cities, '')).toEqual([])
  expect(shapeSchema(schema).patterns.size).toBe(1)
  expect(steps_max).toBe(200_000)
})
