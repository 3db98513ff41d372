/**
 * Checks the path, the query and the body of a request. Validators are compiled at the first request
 * that needs them.
 */
import { Ajv, type ErrorObject } from 'ajv'
import type { TObject } from 'typebox'
import { isTime } from '../../clock.ts'
import { sentencesOf } from '../../errors/field-sentences.ts'
import {
  Problem,
  problem,
  type Catalog,
  type FieldError,
  type ProblemDetails,
} from '../../errors/problem.ts'
import { isId } from '../../ids.ts'
import { field_errors_max, fieldErrors, pathError, withoutLengths } from '../input/field-errors.ts'
import { knownFields, unknownErrors, type Unknown } from '../input/known-fields.ts'
import type { Route } from '../contract/route.ts'
import { closed } from '../contract/shapes.ts'

export type CheckParams = (params: Record<string, string>) => void
/** Returns the query and the body, or throws `unsupported_field` or `validation_failed`. */
export type CheckInput = (query: unknown, body: unknown) => { query: unknown; body: unknown }

/** The meaning of each `format` in a schema, in requests and everywhere else. */
export const formats = {
  uuid: (text: string) => isId(text),
  'date-time': (text: string) => isTime(text),
  date: (text: string) => isTime(`${text}T00:00:00Z`),
  uri: (text: string) => URL.canParse(text),
}

// Ajv only warns of a format that it does not know, and then accepts every text.
const refuse = (text: string) => {
  throw new Error(text)
}
const logger = { log: refuse, warn: refuse, error: refuse }
const bodies = new Ajv({ allErrors: true, strict: false, formats, logger })
const queries = new Ajv({ allErrors: true, strict: false, formats, logger, coerceTypes: true })

export function paramsCheck(route: Route, catalog: Catalog): CheckParams {
  const code = route.absent ?? 'not_found'
  const entry = catalog.get(code)
  if (!entry) throw new Error(`${route.method} ${route.path} names an unknown code: ${code}`)
  const names = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(match => match[1] ?? '')
  const checks = names.map(name => {
    const schema = route.params?.[name]
    const is_id = !schema || (schema as { readonly format?: string }).format === 'uuid'
    const fits = schema ? bodies.compile(schema) : (value: unknown) => isId(String(value))
    return { name, is_id, fits }
  })
  return params => {
    for (const { name, is_id, fits } of checks) {
      if (!fits(params[name])) throw new Problem(code, entry, misnamed(code, name, fits))
      // One id has one form, as in bodies.
      if (is_id) params[name] = String(params[name]).toLowerCase()
    }
  }
}

/**
 * If the caller chooses the name of a new resource, an invalid name is `validation_failed` and not
 * "not found".
 */
function misnamed(code: string, name: string, fits: object): ProblemDetails {
  const [error] = withoutLengths((fits as { errors?: ErrorObject[] }).errors ?? [])
  if (code !== 'validation_failed') {
    const allowed = error?.params['allowedValues'] as readonly unknown[] | undefined
    if (allowed) return { detail: `\`${name}\` in the path must be one of ${allowed.join(', ')}.` }
    const form = error ? 'has an invalid form, so no' : 'is not a UUID, so no'
    return { detail: `\`${name}\` in the path ${form} resource has it. Check the path.` }
  }
  const errors = [pathError(name, error)]
  return { detail: sentencesOf(errors), errors }
}

const no_members = closed({})

export function inputCheck(route: Route): CheckInput {
  // Probes, providers and visitors add parameters of their own.
  const reads_all = !route.hidden && route.foreign_query === undefined
  const made = firstUse(() => ({
    query: {
      walk: knownFields(route.query ?? no_members),
      numbers: numbersOf(route.query ?? no_members),
      fits: queries.compile(route.query ?? no_members),
    },
    body: {
      walk: knownFields(route.body ?? no_members),
      fits: bodies.compile(route.body ?? {}),
    },
  }))
  return (givenQuery, givenBody) => {
    const { query, body } = made()
    const surplus: Unknown = new Map()
    const nextQuery = query.walk(givenQuery, '', surplus)
    const unknown = reads_all ? unknownErrors('query', surplus) : []
    const errors = numberFaults(query.numbers, nextQuery)
    if (errors.length === 0 && !query.fits(nextQuery))
      errors.push(...fieldErrors('query', query.fits))
    const members: Unknown = new Map()
    let nextBody: unknown
    if (givenBody !== undefined || (route.body && !route.body_optional)) {
      nextBody = body.walk(givenBody, '', members)
      unknown.push(...unknownErrors('body', members, route.instead))
      if (!body.fits(nextBody)) errors.push(...fieldErrors('body', body.fits))
    }
    if (unknown.length + errors.length > 0) throw unfit(unknown, errors)
    return { query: nextQuery, body: route.body ? nextBody : undefined }
  }
}

type Numbers = readonly { readonly name: string; readonly type: string }[]

function numbersOf({ properties }: TObject): Numbers {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { type } = schema as { readonly type?: string }
    return type === 'integer' || type === 'number' ? [{ name, type }] : []
  })
}

/** Ajv would also read `0x10`, `1e1` and a blank as whole numbers. */
function numberFaults(numbers: Numbers, query: unknown): FieldError[] {
  return numbers.flatMap(({ name, type }) => {
    const given = (query as Record<string, unknown>)[name]
    const form = type === 'integer' ? /^-?\d{1,16}$/ : /^-?\d{1,16}(\.\d{1,16})?$/
    if (typeof given !== 'string' || form.test(given)) return []
    return [{ location: 'query', pointer: `/${name}`, constraint: 'type', params: { type } }]
  })
}

function unfit(unknown: readonly FieldError[], others: readonly FieldError[]): Problem {
  const errors = [...unknown, ...others].slice(0, field_errors_max)
  const code = unknown.length > 0 ? 'unsupported_field' : 'validation_failed'
  return problem(code, { detail: sentencesOf(errors), errors })
}

export function firstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
