/** The route of searches. */
import { Type } from 'typebox'
import { closed, count, Id, nullable, routesOf, text, type Db, type Tx } from '#dodeca/kernel'
import { callerOf } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { conditionsOf, Filters } from './filters.ts'
import { search } from './search.ts'

/** The common parts of a search and an answer. */
export const QuestionFields = {
  collection_ids: Type.Array(Id, { minItems: 1, maxItems: 10 }),
  query: text(2000),
  filters: Type.Optional(Filters),
  top_k: Type.Optional(count(1, 20)),
}
export const top_k_usual = 8

const Search = closed(QuestionFields, { title: 'Search' })

const Hit = Type.Object(
  {
    rank: Type.Integer(),
    chunk_id: Id,
    document_id: Id,
    document_version: Type.Integer(),
    collection_id: Id,
    title: nullable(Type.String()),
    source_uri: nullable(Type.String()),
    page: nullable(Type.Integer()),
    context: Type.String(),
    text: Type.String(),
  },
  { title: 'SearchHit' },
)
const Hits = Type.Object(
  {
    data: Type.Array(Hit, { maxItems: 20 }),
    retrieval_version: Type.String(),
    degraded: Type.Array(Type.String(), { maxItems: 5 }),
  },
  { title: 'SearchResult' },
)

const { open, post } = routesOf<Deps>({ permission: 'retrieval.answers.create', added: true })

export const searchRoutes = open({
  searchCollections: post(
    '/v1/search',
    'Search collections',
    {
      tool: 'read',
      description:
        'Searches the documents that you may read now, both by words and by meaning. `degraded` names the parts of the search that were not available.',
      transaction: 'own',
      // It only reads.
      idempotency: 'ignored',
      body: Search,
      instead: { filter: 'filters', limit: 'top_k' },
      reply: Hits,
      fails: [
        'collection_not_found',
        'permission_denied',
        'validation_failed',
        'filter_not_allowed',
        'rate_limited',
        'index_unavailable',
        'tag_reserved',
        'too_many_tags',
      ],
    },
    async ({ db, principal, body, request }, deps) => {
      await takeAnswer(db, deps, principal.id)
      const { collection_ids, query, filters, top_k = top_k_usual } = body
      const conditions = conditionsOf(filters)
      const caller = await callerOf(db, deps, principal)
      const tags = deps.models.readTags(request.headers)
      const question = { collection_ids, query, conditions, top_k, tags }
      const { sources, retrieval_version, degraded } = await search(deps, caller, question)
      const data = sources.map((source, at) => {
        const { source_kind: _kind, content_hash: _hash, metadata: _data, ...shown } = source
        const { ordinal: _ordinal, page_starts: _starts, ...hit } = shown
        return { rank: at + 1, ...hit }
      })
      return { data, retrieval_version, degraded: [...degraded] }
    },
  ),
})

export async function takeAnswer(
  door: Db | Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  of: string,
): Promise<void> {
  const many = kernel.settings['retrieval.answers_per_minute']
  await kernel.take(door, [{ name: 'retrieval.answers', of, many, per_seconds: 60 }])
}
