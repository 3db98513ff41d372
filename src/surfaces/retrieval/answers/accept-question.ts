/**
 * Accepts a question. Everything that can refuse the question is checked here. The inserted row is
 * the running answer.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { limit, sql } from '#dodeca/kernel'
import type { Principal, Reader, RequestFacts, Tx } from '#dodeca/kernel'
import { callerOf, type Asker } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { conditionsOf, type Conditions } from '../searches/filters.ts'
import { takeAnswer, top_k_usual } from '../searches/routes.ts'
import { searchScope } from '../searches/scope.ts'
import type { AskQuestion } from './schemas.ts'

const context_depth_max = limit(
  'retrieval.question_depth',
  10,
  'questions',
  'Longest chain of questions that follow each other',
)

/** The stored parts of a question. With them any process can continue. */
export type Order = {
  readonly asker: Asker
  readonly collection_ids: readonly string[]
  readonly conditions: Conditions
  readonly top_k: number
  readonly answerer: 'extractive' | 'generative'
  /** The earlier answer that this question follows, and the number of answers before it. */
  readonly context_ref: string | null
  readonly depth: number
  /** What the cost is for. */
  readonly tags: readonly string[]
}
export type Question = Order & {
  readonly id: string
  readonly query: string
  readonly request_id: string
}

export async function acceptQuestion(
  tx: Tx,
  deps: Deps,
  {
    id,
    principal,
    body,
    request,
  }: {
    readonly id: string
    readonly principal: Principal
    readonly body: AskQuestion
    readonly request: Pick<RequestFacts, 'id' | 'headers'>
  },
): Promise<void> {
  const { tenant_id, kind, session_id } = principal
  const asker: Asker = { id: principal.id, tenant_id, kind, session_id }
  await takeAnswer(tx, deps, principal.id)
  const { collection_ids, query, filters, top_k = top_k_usual } = body
  const conditions = conditionsOf(filters)
  await searchScope(tx, await callerOf(tx, deps, asker), collection_ids)
  const context_ref = body.conversation_context_ref ?? null
  const order: Order = {
    asker,
    collection_ids,
    conditions,
    top_k,
    answerer: answererOf(deps, body.answerer),
    context_ref,
    depth: context_ref === null ? 0 : await depthOf(tx, asker, context_ref),
    tags: deps.models.readTags(request.headers),
  }
  const query_hash = createHash('sha256').update(query).digest()
  const lease_seconds = deps.kernel.settings['retrieval.answer_seconds'] + 30
  await tx.run(sql`
    insert into retrieval.answers (tenant_id, id, actor_id, query_hash, state, collection_ids,
      order_, request_id, leased_until)
    values (${tenant_id}, ${id}, ${principal.id}, ${query_hash}, 'running',
      ${collection_ids}::uuid[], ${sql.json(order)}, ${request.id},
      now() + make_interval(secs => ${lease_seconds}))`)
  await tx.run(sql`
    insert into retrieval.answer_texts (tenant_id, id, query)
    values (${tenant_id}, ${id}, ${query})`)
}

function answererOf({ models }: Deps, wanted: AskQuestion['answerer'] = 'auto'): Order['answerer'] {
  if (wanted === 'generative' && !models.configured) throw problem('generation_not_configured')
  if (wanted === 'auto') return models.configured ? 'generative' : 'extractive'
  return wanted
}

const Earlier = Type.Object({ depth: Type.Integer() })

async function depthOf(reader: Reader, asker: Asker, context_ref: string): Promise<number> {
  const earlier = await reader.maybe(
    Earlier,
    sql`
      select coalesce((order_ ->> 'depth')::int, 0) as depth from retrieval.answers
      where tenant_id = ${asker.tenant_id} and id = ${context_ref} and actor_id = ${asker.id}
        and state in ('completed', 'redacted')`,
  )
  if (!earlier) throw problem('answer_not_found')
  if (earlier.depth + 1 >= context_depth_max) {
    throw problem('validation_failed', {
      detail: 'At most 10 answers follow each other. Ask without `conversation_context_ref`.',
      errors: [{ location: 'body', pointer: '/conversation_context_ref', constraint: 'depth' }],
    })
  }
  return earlier.depth + 1
}

const Row = Type.Object({
  order_: Type.Unsafe<Order>(Type.Any()),
  query: Type.String(),
  request_id: Type.String(),
})
type Row = Static<typeof Row>

export async function readQuestion(reader: Reader, id: string): Promise<Question> {
  const { order_, query, request_id }: Row = await reader.one(
    Row,
    sql`
      -- any tenant: the operation's own id
      select a.order_, t.query, a.request_id from retrieval.answers a
      join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
      where a.id = ${id}`,
  )
  return { ...order_, id, query, request_id }
}
