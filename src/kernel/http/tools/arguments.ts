/** The request that the arguments of an operation stand for. */
import { etag } from '../contract/etag.ts'
import type { Exchanged } from '../server/exchange.ts'
import { problem } from '../../errors/problem.ts'
import { sentencesOf, type FieldError } from '../../errors/field-sentences.ts'
import type { Operation } from './operations.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Asked = Pick<Exchanged, 'params' | 'query' | 'headers' | 'path'> & { readonly body: unknown }

export function requestOf(
  { places, compiled: { route } }: Operation,
  given: Arguments,
  key: string | undefined,
): Asked {
  const params: Record<string, string> = {}
  const query: Exchanged['query'] = {}
  const body: Record<string, unknown> = {}
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, value] of Object.entries(given)) {
    const place = places.get(name)
    if (place === 'params') params[name] = textOf(value)
    else if (place === 'if_match') headers['if-match'] = tagOf(value)
    // An unknown argument goes where it is refused, with the name that was probably meant.
    else if (place === 'body' || (!place && route.body)) body[name] = value
    // Models often send null for what they leave out.
    else if (value !== null) query[name] = Array.isArray(value) ? value.map(textOf) : textOf(value)
  }
  requireParams(places, params)
  const has_body = route.body && (!route.body_optional || Object.keys(body).length > 0)
  if (has_body) headers['content-type'] = 'application/json'
  if (key !== undefined && route.method !== 'GET') headers['idempotency-key'] = key
  return {
    params,
    query,
    headers,
    path: filled(route.path, params),
    body: has_body ? body : undefined,
  }
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

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
}
