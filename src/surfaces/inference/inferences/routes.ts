/** Routes that make blocking and streamed calls, list calls, read a call, and cancel a call. */
import {
  batch_members_max,
  currentRequestId,
  equal,
  looked,
  oneOf,
  owner,
  reply,
  routesOf,
  sql,
} from '#dodeca/kernel'
import type { Principal, Reader, RequestFacts, RequestKey } from '#dodeca/kernel'
import { Type } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { takeBody } from '../operations/memory.ts'
import { blockingCalls, type Finished } from '../operations/call-blocking.ts'
import { streamedCalls } from '../operations/call-streamed.ts'
import { draftCall, type CallDraft, type NewCall } from '../operations/draft-call.ts'
import { findOperation } from '../operations/find-operation.ts'
import { operationExpressions, OperationRow } from '../operations/read-operation.ts'
import { summaryOf, viewOf, viewOfSettled } from '../operations/view.ts'
import { InferenceSummary, InferenceView, OperationState, instead_of_calls } from '../schemas.ts'
import { cancelCall } from './cancel-call.ts'
import { CreateInference, readAsked } from './schemas.ts'
import { inferenceWriter } from './stream-events.ts'

const path = '/v1/inferences'
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
  'tag_reserved',
  'too_many_tags',
  'file_not_found',
  'validation_failed',
  'permission_denied',
  'insufficient_scope',
  'approval_expired',
  'invalid_transition',
] as const

/** Of the operation `t`. */
const waiting = sql`exists (
  select from inference.tool_calls w
  where w.tenant_id = t.tenant_id and w.operation_id = t.id
    and w.state = 'asked' and w.asked_until > kernel.now())`

type Context = {
  readonly principal: Principal
  readonly body: CreateInference
  readonly key: RequestKey | null
  readonly request: Pick<RequestFacts, 'headers' | 'ip'>
}

const { open, get, list, post } = routesOf<Deps>({
  absent: 'inference_not_found',
  permission: 'inference.operations.create',
})

export const inferenceRoutes = open({
  createInference: post(
    path,
    'Call a model and wait for its answer, or stream it',
    {
      sends: ['location'],
      description:
        'With `stream: true` the reply is `text/event-stream`: started, delta, usage, then completed or error. A retry with the same Idempotency-Key continues the same call, or gets its recorded outcome.',
      idempotency: 'optional',
      record: 'reference',
      lease_seconds,
      body_limit_bytes,
      takesBody: takeBody,
      body_members_max: batch_members_max,
      body: CreateInference,
      instead: instead_of_calls,
      reply: InferenceView,
      fails: call_fails,
    },
    {
      prepare: async (context, deps) =>
        await draft(deps, context, context.body.stream ? 'stream' : 'call'),
      again: async ({ tx, principal, resource_ref }, deps) => {
        const id = resource_ref.split('/').at(-1) ?? ''
        return await rendered(tx, { ended: await findOperation(tx, principal, id) }, deps)
      },
      operation: blockingCalls(rendered),
      streaming: streamedCalls(inferenceWriter),
      streams: ({ body }) => body.stream ?? false,
    },
  ),

  listInferences: list(path, 'List your calls, newest first, without their outputs', {
    description:
      '`scope=tenant` lists the calls of everybody. `waits_for=approval` lists those with a call of a tool that still waits for a yes.',
    added: true,
    from: 'inference.inference_operations',
    row: OperationRow,
    columns: operationExpressions,
    item: InferenceSummary,
    view: row => ({ ...summaryOf(row), actor_id: row.actor_id }),
    of: owner('actor_id', 'inference.operations.read_any', 'own'),
    time: 'id',
    filters: {
      state: looked(OperationState),
      waits_for: equal(oneOf('approval'), () => waiting),
    },
    find: [],
    fails: ['permission_denied'],
  }),

  streamInference: post(
    `${path}:stream`,
    'Call a model and stream its answer',
    {
      description:
        'The events are `started`, `delta`, `usage`, then exactly one of `completed` and `error`; where tools were asked, also `tool_call` and `tool_result`. A stream that ends without `completed` or `error` is incomplete. `completed` contains the length and the SHA-256 of the text.',
      idempotency: 'optional',
      lease_seconds,
      body_limit_bytes,
      takesBody: takeBody,
      body_members_max: batch_members_max,
      body: CreateInference,
      instead: instead_of_calls,
      reply: Type.String(),
      fails: call_fails,
    },
    {
      prepare: async (context, deps) => {
        if (context.body.stream === false) {
          throw problem('validation_failed', {
            detail: '`stream` must be true or left out here. Call `POST /v1/inferences` to wait.',
            errors: [{ location: 'body', pointer: '/stream', constraint: 'const' }],
          })
        }
        return await draft(deps, context, 'stream')
      },
      streaming: streamedCalls(inferenceWriter),
    },
  ),

  getInference: get(
    `${path}/{id}`,
    'Get a call, with its output until the output is deleted',
    {
      for_others: 'inference.operations.read_any',
      asks_grants: true,
      added: true,
      reply: InferenceView,
    },
    async ({ tx, principal, params: { id }, grants, request }, { kernel }) => {
      const row = await findOperation(tx, principal, id, await grants())
      return await viewOf(tx, kernel, row, request.id, row.actor_id !== principal.id)
    },
  ),

  cancelInference: post(
    `${path}/{id}/cancel`,
    'Cancel a call',
    {
      sends: ['location'],
      description:
        'The call stops within a second, in whichever process it runs. The tokens used until then are charged.',
      added: true,
      replies: { 200: InferenceView, 202: InferenceView },
      fails: ['invalid_transition'],
    },
    async ({ tx, principal, params: { id }, request }, deps) => {
      const { row, is_over } = await cancelCall(tx, deps, principal, id)
      const view = await viewOf(tx, deps.kernel, row, request.id)
      return is_over ? reply(200, view) : reply(202, view, { location: `${path}/${id}` })
    },
  ),
})

async function draft(
  deps: Deps,
  { principal, body, key, request }: Context,
  kind: NewCall['class'],
): Promise<CallDraft> {
  const { ip } = request
  return await draftCall(deps, {
    ...(await readAsked(deps.kernel, body, request)),
    tenant_id: principal.tenant_id,
    actor_id: principal.id,
    scope: principal.scope,
    asking: { principal, ip },
    key,
    prompt: 'plain@1',
    workload: 'inference',
    class: kind,
  })
}

async function rendered(reader: Reader, done: Finished, { kernel, policy }: Deps) {
  const request_id = currentRequestId() ?? ''
  const view =
    'ended' in done
      ? await viewOf(reader, kernel, done.ended, request_id)
      : viewOfSettled(policy, done, request_id)
  return reply(200, view, { location: `${path}/${view.id}` })
}
