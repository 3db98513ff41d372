/**
 * What the dialects of other APIs share. The schema of a body has only the parameters and values that
 * have an effect here, and those that mean none. Everything else is refused by its name, in the form
 * of errors that the SDKs read.
 */
import { Type, type TSchema } from 'typebox'
import { batch_members_max, nullable } from '#dodeca/kernel'
import type { Principal, Reader, RequestFacts, RequestKey, Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { call_fails, lease_seconds } from '../inferences/routes.ts'
import { blockingCalls, type Finished } from '../operations/call-blocking.ts'
import { streamedCalls, type NewWriter } from '../operations/call-streamed.ts'
import { draftCall, type NewCall } from '../operations/draft-call.ts'
import { takeBody } from '../operations/memory.ts'
import { findOperation } from '../operations/find-operation.ts'
import { tagsIn } from '../quotas/tags.ts'

/** Clients of these APIs send null for what they leave out. */
export function maybe<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema))
}

export type ProblemDocument = Parameters<NonNullable<Route['problemAs']>>[0]

/** A member or a value that the schema does not have would have no effect. */
const without_effect = new Set(['unknown', 'enum', 'const'])

/** The `error` that the SDKs of OpenAI read. */
export function errorOf({ status, detail, code, errors = [] }: ProblemDocument) {
  const dropped = errors.find(one => without_effect.has(one.constraint))
  const at = (dropped ?? errors[0])?.pointer.slice(1).replaceAll('/', '.') ?? null
  const named = dropped ? 'unsupported_parameter' : code
  return { error: { message: detail, type: typeOf(status), param: at, code: named } }
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
  takesBody: takeBody,
  body_members_max: batch_members_max,
  any_accept: true,
  problemAs: errorOf,
  fails: [...call_fails, 'chain_too_long'],
} as const

type Asked = Pick<NewCall, 'model' | 'content' | 'parameters' | 'store' | 'pointer'> &
  Partial<Pick<NewCall, 'metadata' | 'previous_id'>>

type Asking = {
  readonly principal: Principal
  readonly key: RequestKey | null
  readonly request: Pick<RequestFacts, 'headers' | 'ip'>
}

/** The parts of a call that do not come from the body. */
function calledBy({ principal, key, request }: Asking, stream: boolean | null | undefined) {
  return {
    tenant_id: principal.tenant_id,
    actor_id: principal.id,
    scope: principal.scope,
    asking: { principal, ip: request.ip },
    key,
    tags: tagsIn(request.headers),
    prompt: 'none@1',
    workload: 'inference',
    class: stream ? 'stream' : 'call',
  } as const satisfies Partial<NewCall>
}

/** Drafts the call that a request of another API asks for. */
export async function draftAs(
  deps: Deps,
  context: Asking,
  stream: boolean | null | undefined,
  asked: Asked,
) {
  const limit = stream ? 'inference.stream_max_ms' : 'inference.deadline_ms'
  const by = calledBy(context, stream)
  return await draftCall(deps, { ...asked, ...by, deadline_ms: deps.kernel.settings[limit] })
}

type Repeated = {
  readonly tx: Reader
  readonly principal: Principal
  readonly resource_ref: string
}
type Rendered<View> = (reader: Reader, done: Finished, deps: Deps) => Promise<View>

/** The steps after the draft: `rendered` makes the reply of a call, `writer` the events of one. */
export function callSteps<View>(rendered: Rendered<View>, writer: NewWriter) {
  return {
    again: async ({ tx, principal, resource_ref }: Repeated, deps: Deps) => {
      const id = resource_ref.split('/').at(-1) ?? ''
      return await rendered(tx, { ended: await findOperation(tx, principal, id) }, deps)
    },
    operation: blockingCalls(rendered),
    streaming: streamedCalls(writer),
    streams: ({ body }: { readonly body: { readonly stream?: boolean | null } }) =>
      body.stream ?? false,
  }
}

/** Output tokens where the request says none: its SDKs expect more than one short answer. */
export const calls_output_default = 4096

export function missing(pointer: string) {
  const errors = [{ location: 'body' as const, pointer, constraint: 'required' }]
  return problem('validation_failed', { errors })
}

/** For a member that has an effect in some places only, and is in another one. */
export function unsupported(pointer: string) {
  const errors = [{ location: 'body' as const, pointer, constraint: 'unknown' }]
  const detail = `\`${pointer.slice(1)}\` has no effect there, so nothing was done. Leave it out.`
  return problem('validation_failed', { detail, errors })
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Only the members that were sent. */
export function given<const T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(entries) as Given<T>
}
