/** Index versions in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, Time } from '#dodeca/kernel'
import { ProfileId } from '../collections/schemas.ts'
import { IndexState } from './index-versions.ts'

export const activations = ['manual', 'after_evaluation'] as const

export const Reindex = closed(
  {
    embedding_profile: Type.Optional(ProfileId),
    activation: Type.Optional(oneOf(...activations)),
    min_delta_ndcg: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
  },
  { title: 'Reindex' },
)
export type Reindex = Static<typeof Reindex>

export const Reindexing = Type.Object(
  {
    id: Id,
    job_id: Id,
    index_version: Type.Integer(),
    state: oneOf('pending'),
    status: oneOf('queued'),
  },
  { title: 'Reindexing' },
)

export const Metrics = Type.Record(Type.String(), nullable(Type.Number()))

export const IndexVersionView = Type.Object(
  {
    collection_id: Id,
    version: Type.Integer(),
    embedding_profile: Type.String(),
    state: IndexState,
    metrics: nullable(Metrics),
    created_at: Time,
    activated_at: nullable(Time),
    retired_at: nullable(Time),
  },
  { title: 'IndexVersion' },
)
