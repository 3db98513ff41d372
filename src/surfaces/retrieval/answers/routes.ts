/** Routes of answers: as one reply, as a stream, and stored. */
import { Problem, reply, routesOf } from '#dodeca/kernel'
import type { Principal, RequestFacts, Tx } from '#dodeca/kernel'
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
  'tag_reserved',
  'too_many_tags',
] as const
const lease_seconds = 30

type Asked = {
  readonly tx: Tx
  readonly operation_id: string
  readonly principal: Principal
  readonly body: AskQuestion
  readonly request: Pick<RequestFacts, 'id' | 'headers'>
}

const locationOf = (id: string) => `${path}/${id}`

const streaming = {
  begin: (asked: Asked, deps: Deps) => accept(deps, asked),
  open: (id: string, attempt: 'first' | 'resumed', signal: AbortSignal, deps: Deps) =>
    openAnswerStream(deps, id, attempt, signal),
  again: (id: string, deps: Deps) => repeatAnswerStream(deps, id),
  location: locationOf,
}

const { open, get, create, post } = routesOf<Deps>({
  absent: 'answer_not_found',
  permission: 'retrieval.answers.create',
})

export const answerRoutes = open({
  createAnswer: create(
    path,
    'Ask a question about documents',
    {
      description:
        'Every sentence of the answer quotes a document that you may read now. If no document supports an answer, `outcome` is `insufficient_evidence`. With `response_mode: "streaming"` the reply is a stream of events, as from `POST /v1/answers:stream`.',
      idempotency: 'optional',
      record: 'reference',
      lease_seconds,
      body: AskQuestion,
      instead: { filter: 'filters', limit: 'top_k' },
      reply: Answer,
      fails,
    },
    {
      again: async ({ tx, principal, resource_ref }, deps) => {
        const id = resource_ref.slice(path.length + 1)
        return reply(201, await show(deps, tx, principal, id), { location: resource_ref })
      },
      operation: {
        begin: (asked, deps) => accept(deps, asked),
        call: (id, attempt, signal, _context, deps) => writeAnswer(deps, id, attempt, signal),
        finish: async (tx, id, written, deps) => {
          const finished = await finishAnswer(tx, deps, written)
          if (finished instanceof Problem) return finished
          return reply(201, finished, { location: locationOf(id) })
        },
      },
      streaming,
      streams: ({ body }) => body.response_mode === 'streaming',
    },
  ),

  streamAnswer: post(
    `${path}:stream`,
    'Ask a question and stream the answer, sentence by sentence',
    {
      description:
        'The events are `started`, `sources`, then for each sentence its `citation`s and a `delta`, then `usage` and `completed`. If the stream fails, its last event is `error`. A stream that ends without `completed` or `error` is incomplete.',
      idempotency: 'optional',
      lease_seconds,
      body: AskQuestion,
      instead: { filter: 'filters', limit: 'top_k' },
      reply: Type.String(),
      fails,
    },
    { streaming },
  ),

  getAnswer: get(
    `${path}/{answer_id}`,
    'Get a stored answer with its citations',
    {
      for_others: 'retrieval.answers.read_any',
      description:
        'Your access to each cited document is checked again. If a document is deleted or you may no longer read it, the answer is `redacted`: it has neither text nor quotes.',
      asks_grants: true,
      reply: Answer,
      fails: ['permission_denied'],
    },
    async ({ tx, principal, params: { answer_id }, grants }, deps) => {
      const any = (await grants()).has('retrieval.answers.read_any')
      return await show(deps, tx, principal, answer_id, any)
    },
  ),
})

async function accept(
  deps: Deps,
  { tx, operation_id: id, principal, body, request }: Asked,
): Promise<undefined> {
  await acceptQuestion(tx, deps, { id, principal, body, request })
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
