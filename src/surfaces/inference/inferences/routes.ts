/** Routes that make blocking and streamed calls, list calls, read a call, and cancel a call. */
import type { Reader } from '../../../kernel/database/db.ts'
import type { Principal } from '../../../kernel/access/principal.ts'
import { currentRequestId } from '../../../kernel/observability/context.ts'
import { reply, route, type RequestKey, type Route } from '../../../kernel/http/route.ts'
import { oneOf, page, pageQuery } from '../../../kernel/http/shapes.ts'
import { Problem } from '../../../kernel/errors/problem.ts'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { BlockingCalls, type Finished } from '../operations/call-blocking.ts'
import { streamedCalls } from '../operations/call-streamed.ts'
import { draftCall, type CallDraft, type NewCall } from '../operations/draft-call.ts'
import { findOperation } from '../operations/find-operation.ts'
import { viewOf, viewOfSettled } from '../operations/view.ts'
import { InferenceSummary, InferenceView, OperationState, refused_of_calls } from '../schemas.ts'
import { cancelCall } from './cancel-call.ts'
import { listCalls } from './list-calls.ts'
import { CreateInference, readAsked } from './schemas.ts'
import { inferenceWriter } from './stream-events.ts'

const path = '/v1/inferences'
const absent = 'inference_not_found'
const body_limit_bytes = 4 * 1024 * 1024
/** After a process died, a retry waits at most this long. */
export const lease_seconds = 30

export const call_fails = [
  'model_not_found',
  'model_capability_unsupported',
  'context_length_exceeded',
  'content_blocked',
  'quota_exceeded',
  'capacity_exceeded',
  'service_unavailable',
  'upstream_unreachable',
  'upstream_invalid_response',
  'upstream_timeout',
  'inference_cancelled',
  'inference_not_found',
  'validation_failed',
] as const

export function inferenceRoutes(deps: Deps): readonly Route[] {
  return [createRoute(deps), listRoute(), streamRoute(deps), getRoute(deps), cancelRoute(deps)]
}

type Context = {
  readonly principal: Principal
  readonly body: CreateInference
  readonly key: RequestKey | null
}

async function draft(
  deps: Deps,
  { principal, body, key }: Context,
  kind: NewCall['class'],
): Promise<CallDraft> {
  return await draftCall(deps, {
    ...(await readAsked(deps.kernel, body)),
    tenant_id: principal.tenant_id,
    actor_id: principal.id,
    key,
    prompt: 'plain@1',
    workload: 'inference',
    class: kind,
  })
}

function createRoute(deps: Deps): Route {
  const blocking = new BlockingCalls(deps)
  const rendered = async (reader: Reader, done: Finished) => {
    const request_id = currentRequestId() ?? ''
    const view =
      'ended' in done
        ? await viewOf(reader, deps.kernel, done.ended, request_id)
        : viewOfSettled(deps.policy, done, request_id)
    return reply(200, view, { location: `${path}/${view.id}` })
  }
  return route({
    method: 'POST',
    path,
    name: 'createInference',
    summary: 'Call a model and wait for its answer, or stream it',
    description:
      'With `stream: true` the reply is `text/event-stream`: started, delta, usage, then completed or error. A retry with the same Idempotency-Key continues the same call, or gets its recorded outcome.',
    permission: 'inference.operations.create',
    idempotency: 'optional',
    record: 'reference',
    transaction: 'own',
    lease_seconds,
    body_limit_bytes,
    body: CreateInference,
    refuses: refused_of_calls,
    sends: ['location'],
    replies: { 200: InferenceView },
    fails: [...call_fails],
    streams: ({ body }) => body.stream ?? false,
    prepare: async context => await draft(deps, context, context.body.stream ? 'stream' : 'call'),
    operation: {
      begin: async ({ tx, operation_id, prepared }) => {
        await blocking.begin(tx, prepared, operation_id)
        return undefined
      },
      call: (id, _attempt, signal) => blocking.call(id, signal),
      finish: async (tx, _id, called) => {
        const finished = await blocking.finish(tx, called)
        return finished instanceof Problem ? finished : await rendered(tx, finished)
      },
    },
    again: async ({ tx, principal, resource_ref }) => {
      const id = resource_ref.split('/').at(-1) ?? ''
      const row = await findOperation(tx, principal, id)
      return await rendered(tx, { ended: row })
    },
    streaming: streamedCalls(deps, inferenceWriter),
  })
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listInferences',
    summary: 'List your calls, newest first, without their outputs',
    description:
      '`scope=tenant` lists the calls of everybody and requires the permission `inference.operations.read_any`.',
    permission: 'inference.operations.create',
    asks_grants: true,
    added: true,
    query: pageQuery({
      scope: Type.Optional(oneOf('own', 'tenant')),
      state: Type.Optional(OperationState),
    }),
    replies: { 200: page(InferenceSummary) },
    fails: ['permission_denied'],
    handle: async ({ tx, principal, grants, query, list }) => {
      const { body, headers } = await listCalls(tx, { principal, grants }, query, list)
      return reply(200, body, headers)
    },
  })
}

function streamRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}:stream`,
    name: 'streamInference',
    summary: 'Call a model and stream its answer',
    description:
      'The events are `started`, `delta`, `usage`, then exactly one of `completed` and `error`. A stream that ends without `completed` or `error` is incomplete. `completed` contains the length and the SHA-256 of the text.',
    permission: 'inference.operations.create',
    idempotency: 'optional',
    transaction: 'own',
    lease_seconds,
    body_limit_bytes,
    body: CreateInference,
    refuses: refused_of_calls,
    replies: { 200: Type.String() },
    fails: [...call_fails],
    prepare: async context => {
      if (context.body.stream === false) {
        throw problem('validation_failed', {
          detail: '`stream` must be true or left out here. Call `POST /v1/inferences` to wait.',
          errors: [{ location: 'body', pointer: '/stream', constraint: 'const' }],
        })
      }
      return await draft(deps, context, 'stream')
    },
    streaming: streamedCalls(deps, inferenceWriter),
  })
}

function getRoute({ kernel }: Deps): Route {
  return route({
    method: 'GET',
    path: `${path}/{id}`,
    name: 'getInference',
    summary: 'Get a call, with its output until the output is deleted',
    permission: 'inference.operations.create',
    asks_grants: true,
    added: true,
    absent,
    replies: { 200: InferenceView },
    fails: [absent],
    handle: async ({ tx, principal, params: { id }, grants, request }) => {
      const row = await findOperation(tx, principal, id, await grants())
      return reply(200, await viewOf(tx, kernel, row, request.id))
    },
  })
}

function cancelRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/{id}/cancel`,
    name: 'cancelInference',
    summary: 'Cancel a call',
    description:
      'The call stops within a second, in whichever process it runs. The tokens used until then are charged.',
    permission: 'inference.operations.create',
    added: true,
    absent,
    sends: ['location'],
    replies: { 200: InferenceView, 202: InferenceView },
    fails: [absent, 'invalid_transition'],
    handle: async ({ tx, principal, params: { id }, request }) => {
      const { row, is_over } = await cancelCall(tx, deps, principal, id)
      const view = await viewOf(tx, deps.kernel, row, request.id)
      return is_over ? reply(200, view) : reply(202, view, { location: `${path}/${id}` })
    },
  })
}
