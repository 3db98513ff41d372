/** Evaluations in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'

export const Judged = closed(
  {
    query: text(2000),
    /** Ids or `source_uri`s of the documents that answer the query. */
    relevant: Type.Array(text(2048), { minItems: 1, maxItems: 100 }),
  },
  { title: 'JudgedQuery' },
)
export type Judged = Static<typeof Judged>

export const Evaluate = closed(
  {
    queries: Type.Array(Judged, { minItems: 1, maxItems: 5000 }),
    index_version: Type.Optional(count(1, 1_000_000_000)),
    store: Type.Optional(Type.Boolean()),
  },
  { title: 'Evaluate' },
)
export type Evaluate = Static<typeof Evaluate>

export const Evaluating = Type.Object(
  { id: Id, job_id: Id, state: oneOf('pending'), status: oneOf('queued') },
  { title: 'Evaluating' },
)

const Share = Type.Number({ minimum: 0, maximum: 1 })

export const Evaluation = Type.Object(
  {
    id: Id,
    job_id: Id,
    /** Null means the version that was active. */
    index_version: nullable(Type.Integer()),
    stored: Type.Boolean(),
    /** Null until the job has succeeded. */
    metrics: nullable(
      Type.Object({
        ndcg_at_10: Share,
        recall_at_10: Share,
        recall_at_50: Share,
        mrr: Share,
        ann_recall_at_10: Share,
        p50_ms: Type.Number(),
      }),
    ),
    created_by: Id,
    created_at: Time,
  },
  { title: 'Evaluation' },
)
