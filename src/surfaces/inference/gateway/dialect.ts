/**
 * What the dialects of other APIs share: the refusal of a parameter that would be dropped, and
 * errors in the form that their SDKs read. The schema of a body says which values have an effect.
 * Every other member, and every other value of a list of values, is refused by its name.
 */
import { Type, type TSchema } from 'typebox'
import { batch_members_max, nullable, type ProblemDocument, type RequestKey } from '#dodeca/kernel'
import type { Principal } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { call_fails, lease_seconds } from '../inferences/routes.ts'
import type { NewCall } from '../operations/draft-call.ts'

type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

/** Clients of these APIs send null for what they leave out. */
export function maybe<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema))
}

/** Throws `unsupported_parameter` with the first member that would have no effect. */
export function refuseUnsupported(schema: TSchema) {
  return (body: unknown): void => {
    if (typeof body !== 'object' || body === null) return
    const at = unsupportedIn(schema as Schema, body, '')
    if (at === undefined) return
    const param = at.slice(1, 200)
    const detail = `\`${param}\` is not supported, or not with this value. Leave it out.`
    throw problem('unsupported_parameter', { detail, more: { param } })
  }
}

function unsupportedIn(schema: Schema, value: unknown, at: string): string | undefined {
  if (schema.anyOf) {
    const fitting = schema.anyOf.filter(one => isOf(one, value))
    const found = fitting.map(one => unsupportedIn(one, value, at))
    return found.includes(undefined) ? undefined : found[0]
  }
  if (schema.enum) return schema.enum.includes(value) ? undefined : at
  if ('const' in schema) return schema.const === value ? undefined : at
  if (Array.isArray(value)) {
    const { items } = schema
    return items && firstOf(value, (one, index) => unsupportedIn(items, one, `${at}.${index}`))
  }
  if (typeof value !== 'object' || value === null || !schema.properties) return undefined
  const { properties, additionalProperties } = schema
  return firstOf(Object.entries(value), ([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    const place = `${at}.${name.slice(0, 80)}`
    if (known) return unsupportedIn(known, member, place)
    return additionalProperties === false ? place : undefined
  })
}

function isOf({ type, enum: values, const: constant }: Schema, value: unknown): boolean {
  if (constant !== undefined) return typeof constant === typeof value
  if (values) return typeof values[0] === typeof value
  if (type === undefined) return true
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === (type === 'integer' ? 'number' : type)
}

function firstOf<T>(
  all: readonly T[],
  find: (one: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, one] of all.entries()) {
    const found = find(one, index)
    if (found !== undefined) return found
  }
  return undefined
}

/** The `error` that the SDKs of OpenAI read. */
export function errorOf({ status, detail, code, errors, ...more }: ProblemDocument) {
  const { param } = more as { readonly param?: string }
  const [first] = errors ?? []
  const pointed = first?.pointer.slice(1).replaceAll('/', '.')
  return { error: { message: detail, type: typeOf(status), param: param ?? pointed ?? null, code } }
}

/** The `error` in a stream that has begun. */
export function streamError(code: string) {
  const message = `The call did not end: ${code}. Its text is not complete.`
  return { error: { message, type: 'server_error', param: null, code } }
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** What the routes of all dialects that call a model have. */
export const asks = {
  idempotency: 'optional',
  lease_seconds,
  body_limit_bytes: 8 * 1024 * 1024,
  body_members_max: batch_members_max,
  any_accept: true,
  problemAs: errorOf,
  fails: [...call_fails, 'unsupported_parameter', 'chain_too_long'],
} as const

type Asking = { readonly principal: Principal; readonly key: RequestKey | null }

/** The parts of a call that do not come from the body. */
export function calledBy({ principal, key }: Asking, stream: boolean | null | undefined) {
  return {
    tenant_id: principal.tenant_id,
    actor_id: principal.id,
    key,
    prompt: 'none@1',
    workload: 'inference',
    class: stream ? 'stream' : 'call',
  } as const satisfies Partial<NewCall>
}

/** Output tokens where the request says none: its SDKs expect more than one short answer. */
export const calls_output_default = 4096

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Only the members that were sent. */
export function given<const T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(entries) as Given<T>
}
