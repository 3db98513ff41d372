/**
 * JSON Schemas from outside (draft 2020-12). Each schema is compiled once. A check then counts its
 * steps and stops at a limit. Two keywords of ajv are replaced: `pattern` runs in an engine of
 * linear time, and `uniqueItems` looks each item up in a set instead of comparing it with every
 * other item.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv'
import canonicalize from 'canonicalize'
import { formats } from '../http/server/check-input.ts'
import { boundsOf } from '../http/input/field-errors.ts'
import type { FieldError } from '../errors/problem.ts'
import { compilePattern } from './pattern.ts'
import { shapeSchema, weight_keyword } from './schema-shape.ts'
import { inTurn } from './turns.ts'
import { Refused, TooMuchWork, Work } from './work.ts'

/**
 * Describes the parts that do not match, with `pointer` before each place. The list is empty if
 * everything matches.
 */
export type Fit = (value: unknown, pointer: string) => Promise<FieldError[]>

const shown_max = 20
/**
 * Checking a value against one keyword costs as much as seven steps of a pattern, while the code of
 * the schema is still cold.
 */
const visit_steps = 7

const options = { strict: false, allErrors: false, logger: false, formats } as const
/** Checks schemas themselves. All schemas share one instance, because creating it takes 20 ms. */
let meta: Ajv2020 | undefined

/** Throws a `Refused` with a sentence and the invalid place of the schema. */
export async function compileSchema(given: object, steps?: number): Promise<Fit> {
  const drafts = await inTurn(() => (meta ??= new Ajv2020(options)))
  const fit = await inTurn(() => compileFit(given, drafts, steps))
  return (value, pointer) => inTurn(() => fit(value, pointer))
}

function compileFit(given: object, drafts: Ajv2020, steps?: number) {
  const { schema, patterns } = shapeSchema(given)
  let work = new Work()
  const spend = (count: number) => work.spend(count)
  const ajv = validator(spend, source => {
    const pattern = patterns.get(source) ?? compilePattern(source)
    const test = (text: string) => {
      spend(visit_steps)
      return pattern.test(text, work)
    }
    return { test, toString: () => source }
  })
  const compiled = compile(ajv, drafts, schema)
  return (value: unknown, pointer: string): FieldError[] => {
    work = new Work(steps)
    const verdict = ended(() => compiled(value))
    if (verdict === true) return []
    if (verdict !== false) return [{ location: 'body', pointer, constraint: verdict }]
    return (compiled.errors ?? []).slice(0, shown_max).map(error => faultOf(error, pointer))
  }
}

type Test = { test(text: string): boolean; toString(): string }

function validator(spend: (steps: number) => void, pattern: (source: string) => Test): Ajv2020 {
  const regExp = Object.assign((source: string) => pattern(source), { code: 'pattern' })
  const ajv = new Ajv2020({
    ...options,
    meta: false,
    messages: false,
    validateSchema: false,
    // A reference is a call. If references were copied into each place, references to references
    // would double the schema with each level.
    inlineRefs: false,
    // Optimizing takes longer than compiling, and the optimized code does not run faster.
    code: { regExp, optimize: false },
  })
  ajv.addKeyword({
    keyword: weight_keyword,
    before: '$ref',
    errors: false,
    validate: (weight: number, data: unknown) => {
      spend(visit_steps * (weight + sizeOf(data)))
      return true
    },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || isUnique(items, spend),
  })
  return ajv
}

/**
 * Throws if the schema itself is not valid. Each schema has its own compiler, so that two schemas
 * cannot share names.
 */
function compile(ajv: Ajv2020, drafts: Ajv2020, schema: object) {
  if (drafts.validateSchema(schema) !== true) {
    const [first] = drafts.errors ?? []
    throw new Refused(`The schema is not valid: it ${first?.message}.`, first?.instancePath)
  }
  try {
    return ajv.compile(schema)
  } catch (error) {
    if (error instanceof Refused) throw error
    throw new Refused(`The schema is not valid: ${(error as Error).message}.`)
  }
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length >> 4
  if (typeof data !== 'object' || data === null) return 0
  return Array.isArray(data) ? data.length : Object.keys(data).length
}

function isUnique(items: readonly unknown[], spend: (steps: number) => void): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonicalize(item) ?? ''
    spend(1 + (text.length >> 2))
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}

/**
 * A stack overflow is excluded, because the nesting of values is limited and no schema leads back to
 * itself on the same value. There is one more case: ajv's code for `unevaluatedProperties` below
 * `anyOf` and beside `patternProperties` sets a property of undefined. No value matches such a schema.
 */
function ended(check: () => boolean): boolean | 'unevaluatedProperties' | 'work' {
  try {
    return check()
  } catch (error) {
    if (error instanceof TooMuchWork) return 'work'
    if (error instanceof TypeError) return 'unevaluatedProperties'
    throw error
  }
}

function faultOf(error: ErrorObject, pointer: string): FieldError {
  const { instancePath, keyword } = error
  const missing = keyword === 'required' ? `/${String(error.params['missingProperty'])}` : ''
  return {
    location: 'body',
    pointer: `${pointer}${instancePath}${missing}`,
    constraint: keyword,
    ...boundsOf(error),
  }
}
