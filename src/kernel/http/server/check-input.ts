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
import {
  ignoredFieldsHeader,
  ignoredSentence,
  knownFields,
  unknownMembers,
  unsupportedMembers,
  type Dropped,
  type Unknown,
} from '../input/known-fields.ts'
import { narrowing_parameters, restricting_members } from '../input/restricting-names.ts'
import type { Route } from '../contract/route.ts'

export type CheckParams = (params: Record<string, string>) => void
/** Returns the query and body without unknown properties, or throws `validation_failed`. */
export type CheckInput = (
  query: unknown,
  body: unknown,
  dropped: Dropped,
) => { query: unknown; body: unknown }

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

const narrowing = unsupportedMembers(narrowing_parameters, { location: 'query' })

export function inputCheck(route: Route): CheckInput {
  // Where money moves, every unknown member is refused, with the nearest name.
  const drops = route.unknown_members === undefined
  // Probes, providers and visitors send queries of their own to what is public.
  const refuses_lost = !route.hidden && (route.permission !== 'public' || route.lists !== undefined)
  const made = firstUse(() => ({
    query: route.query && {
      walk: knownFields(route.query),
      numbers: numbersOf(route.query),
      fits: queries.compile(route.query),
    },
    body: route.body && {
      walk: knownFields(route.body),
      unsupported: unsupportedMembers(
        { ...(drops && restricting_members), ...route.refuses },
        { near: drops },
      ),
      fits: bodies.compile(route.body),
    },
  }))
  return (givenQuery, givenBody, dropped) => {
    const { query, body } = made()
    const errors: FieldError[] = []
    const ignored: Unknown = new Map()
    const nextQuery = query ? query.walk(givenQuery, '', ignored) : {}
    if (!query)
      for (const name of Object.keys(givenQuery as object)) ignored.set(`/${name}`, undefined)
    if (query) errors.push(...numberFaults(query.numbers, nextQuery))
    if (query && errors.length === 0 && !query.fits(nextQuery))
      errors.push(...fieldErrors('query', query.fits))
    const lost = refuses_lost ? narrowing(ignored) : []
    if (lost.length > 0)
      throw problem('unsupported_field', { detail: sentencesOf(lost), errors: lost })
    for (const pointer of ignored.keys()) dropped.push(`?${pointer.slice(1)}`)
    let nextBody: unknown
    if (body && (givenBody !== undefined || !route.body_optional)) {
      const unknown: Unknown = new Map()
      nextBody = body.walk(givenBody, '', unknown)
      if (!body.fits(nextBody)) errors.push(...fieldErrors('body', body.fits))
      const refused = body.unsupported(unknown)
      if (refused.length > 0) {
        throw problem('unsupported_field', { detail: sentencesOf(refused), errors: refused })
      }
      if (drops) for (const pointer of unknown.keys()) dropped.push(pointer)
      else errors.push(...unknownMembers(route.body, [...unknown.keys()]))
    }
    if (errors.length > 0) throw unfit(route, errors, dropped)
    return { query: nextQuery, body: nextBody }
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

/**
 * A misspelled property is dropped before validation. So the error for the missing property also
 * lists the dropped one.
 */
function unfit(route: Route, found: readonly FieldError[], dropped: Dropped): Problem {
  const errors = found.slice(0, field_errors_max)
  const known = [route.body, route.query].flatMap(one =>
    Object.keys((one as TObject | undefined)?.properties ?? {}),
  )
  const ignored = ignoredFieldsHeader(dropped)
  return problem('validation_failed', {
    detail: sentencesOf(errors) + ignoredSentence(dropped, known),
    errors,
    ...(ignored ? { headers: { 'x-ignored-fields': ignored } } : {}),
  })
}

export function firstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
