/** The request that the arguments of an operation stand for. */
import { etag } from '../contract/etag.ts'
import type { Exchanged } from '../server/exchange.ts'
import { problem } from '../../errors/problem.ts'
import { sentencesOf, type FieldError } from '../../errors/field-sentences.ts'
import { parseJson } from '../input/content.ts'
import { needsVersion } from './never.ts'
import type { Operation } from './operations.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Asked = Pick<Exchanged, 'params' | 'query' | 'headers' | 'path'> & { readonly body: unknown }

export function requestOf(operation: Operation, given: Arguments, key: string | undefined): Asked {
  const { places, compiled } = operation
  const { route } = compiled
  const in_path: [string, string][] = []
  const in_query: [string, string | string[]][] = []
  const in_body: [string, unknown][] = []
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, value] of Object.entries(given)) {
    const place = places.get(name)
    if (place === 'params') in_path.push([name, textOf(value)])
    else if (place === 'if_match') headers['if-match'] = tagOf(value)
    // An unknown argument goes where it is refused, with the name that was probably meant.
    else if (place === 'body' || (!place && route.body)) in_body.push([name, value])
    // Models often send null for what they leave out.
    else if (value !== null) in_query.push([name, queried(value)])
  }
  const params = Object.fromEntries(in_path)
  requireParams(places, params)
  if (needsVersion(route)) requireVersion(given['if_match'])
  const has_body = route.body && (!route.body_optional || in_body.length > 0)
  const body = has_body ? sentBody(operation, Object.fromEntries(in_body)) : undefined
  if (has_body) headers['content-type'] = 'application/json'
  if (key !== undefined && route.method !== 'GET') headers['idempotency-key'] = key
  return {
    params,
    query: Object.fromEntries(in_query),
    headers,
    path: filled(route.path, params),
    body,
  }
}

/** As it would arrive: with its limits, and without characters that cannot be stored. */
function sentBody({ compiled }: Operation, members: Record<string, unknown>): unknown {
  const bytes = Buffer.from(JSON.stringify(members))
  if (bytes.length > compiled.body_limit_bytes) throw problem('content_too_large')
  return parseJson(bytes, compiled.body_members_max)
}

function queried(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(textOf) : textOf(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A version becomes the ETag that has it. */
function tagOf(value: unknown): string {
  const text = textOf(value)
  return /^\d+$/.test(text) ? etag(Number(text)) : text
}

function requireParams(places: Operation['places'], params: Record<string, string>): void {
  const missing = [...places].filter(([name, place]) => place === 'params' && !params[name])
  if (missing.length === 0) return
  const errors = missing.map(([name]): FieldError => ({
    location: 'path',
    pointer: `/${name}`,
    constraint: 'required',
  }))
  throw problem('validation_failed', { detail: sentencesOf(errors), errors })
}

function requireVersion(given: unknown): void {
  if (/^\d+$/.test(textOf(given ?? ''))) return
  const detail = 'Read the thing first, and give its `version` as `if_match`.'
  const errors: FieldError[] = [
    { location: 'header', pointer: '/if_match', constraint: 'required' },
  ]
  throw problem('validation_failed', { detail, errors })
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
}
