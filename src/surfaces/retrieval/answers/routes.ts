/** Routes of answers: as one reply, as a stream, and stored. */
import type { Principal } from '../../../kernel/access/principal.ts'
import { Problem } from '../../../kernel/errors/problem.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import type { StreamOperation } from '../../../kernel/http/operations.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { acceptQuestion } from './accept-question.ts'
import { finishAnswer, writeAnswer } from './answer-at-once.ts'
import { Answer, AskQuestion } from './schemas.ts'
import { answerView, findAnswer } from './show-answer.ts'
import { openAnswerStream, repeatAnswerStream } from './stream-answer.ts'
import { Type } from 'typebox'

const path = '/v1/answers'
const permission = 'retrieval.answers.create'
const fails = [
  'collection_not_found',
  'answer_not_found',
  'permission_denied',
  'validation_failed',
  'filter_not_allowed',
  'generation_not_configured',
  'answer_sources_changed',
  'rate_limited',
  'index_unavailable',
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_invalid_response',
  'service_unavailable',
  'capacity_exceeded',
  'quota_exceeded',
  'content_blocked',
  'context_length_exceeded',
  'inference_cancelled',
] as const
const lease_seconds = 30

type Asked = {
  readonly tx: Tx
  readonly operation_id: string
  readonly principal: Principal
  readonly body: AskQuestion
  readonly request: { readonly id: string }
}

export function answerRoutes(deps: Deps): readonly Route[] {
  return [askRoute(deps), streamRoute(deps), getRoute(deps)]
}

const locationOf = (id: string) => `${path}/${id}`

function streamingOf(deps: Deps): StreamOperation<Omit<Asked, 'tx' | 'operation_id'>> {
  return {
    begin: asked => accept(deps, asked),
    open: (id, attempt, signal) => openAnswerStream(deps, id, attempt, signal),
    again: id => repeatAnswerStream(deps, id),
    location: locationOf,
  }
}

async function accept(
  deps: Deps,
  { tx, operation_id: id, principal, body, request }: Asked,
): Promise<undefined> {
  await acceptQuestion(tx, deps, { id, principal, body, request_id: request.id })
}

function askRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'createAnswer',
    summary: 'Ask a question about documents',
    description:
      'Every sentence of the answer quotes a document that you may read now. If no document supports an answer, `outcome` is `insufficient_evidence`. With `response_mode: "streaming"` the reply is a stream of events, as from `POST /v1/answers:stream`.',
    sends: ['location'],
    permission,
    transaction: 'own',
    idempotency: 'optional',
    record: 'reference',
    lease_seconds,
    body: AskQuestion,
    refuses: { filter: 'filters', limit: 'top_k', min_score: null },
    replies: { 201: Answer },
    fails,
    streams: ({ body }) => body.response_mode === 'streaming',
    operation: {
      begin: asked => accept(deps, asked),
      call: (id, attempt, signal) => writeAnswer(deps, id, attempt, signal),
      finish: async (tx, id, written) => {
        const finished = await finishAnswer(tx, deps, written)
        if (finished instanceof Problem) return finished
        return reply(201, finished, { location: locationOf(id) })
      },
    },
    again: async ({ tx, principal, resource_ref }) => {
      const id = resource_ref.slice(path.length + 1)
      return reply(201, await show(deps, tx, principal, id), { location: resource_ref })
    },
    streaming: streamingOf(deps),
  })
}

function streamRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}:stream`,
    name: 'streamAnswer',
    summary: 'Ask a question and stream the answer, sentence by sentence',
    description:
      'The events are `started`, `sources`, then for each sentence its `citation`s and a `delta`, then `usage` and `completed`. If the stream fails, its last event is `error`. A stream that ends without `completed` or `error` is incomplete.',
    permission,
    transaction: 'own',
    idempotency: 'optional',
    lease_seconds,
    body: AskQuestion,
    refuses: { filter: 'filters', limit: 'top_k', min_score: null },
    replies: { 200: Type.String() },
    fails,
    streaming: streamingOf(deps),
  })
}

async function show(
  deps: Deps,
  tx: Parameters<typeof findAnswer>[0],
  principal: Principal,
  id: string,
  may_read_any = false,
): Promise<Answer> {
  const stored = await findAnswer(tx, principal.tenant_id, id)
  if (!stored || (stored.actor_id !== principal.id && !may_read_any)) {
    throw problem('answer_not_found')
  }
  return await answerView(tx, await callerOf(tx, deps, principal), stored)
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: `${path}/{answer_id}`,
    name: 'getAnswer',
    summary: 'Get a stored answer with its citations',
    description:
      'Your access to each cited document is checked again. If a document is deleted or you may no longer read it, the answer is `redacted`: it has neither text nor quotes.',
    permission,
    absent: 'answer_not_found',
    asks_grants: true,
    replies: { 200: Answer },
    fails: ['answer_not_found', 'permission_denied'],
    handle: async ({ tx, principal, params: { answer_id }, grants }) => {
      const any = (await grants()).has('retrieval.answers.read_any')
      return reply(200, await show(deps, tx, principal, answer_id, any))
    },
  })
}
