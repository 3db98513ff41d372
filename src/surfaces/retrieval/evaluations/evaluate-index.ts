/**
 * Measures an index version with queries whose answers are known: the rank of the right documents,
 * the share of exact search that an approximate index finds, and the time of a search. It returns
 * only numbers, so it may read all access lists of the collection.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Payer } from '../embedding/profile.ts'
import { meanScores, scoreRanking } from '../evaluation/score.ts'
import type { IndexQuery } from '../engines/index.ts'
import type { IndexVersion } from '../indexes/index-versions.ts'
import { withTable } from '../indexes/with-table.ts'
import { queryVector, rankedLists } from '../searches/rank.ts'
import type { Judged } from './schemas.ts'

export type Measured = {
  readonly ndcg_at_10: number
  readonly recall_at_10: number
  readonly recall_at_50: number
  readonly mrr: number
  readonly ann_recall_at_10: number
  readonly p50_ms: number
}

const depth = 100
/** Exact search is slow in a large index, so it is measured with only some of the queries. */
const exact_max = 200

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

export async function evaluateIndex(
  deps: Needed,
  target: IndexVersion,
  queries: readonly Judged[],
  signal: AbortSignal,
  report: (done: number) => Promise<void>,
): Promise<Measured> {
  const { index, profiles } = deps
  const profile = profiles.find(target.embedding_profile)
  const payer = await payerOf(deps, target)
  const prefilter = { acl_set_ids: await allSets(deps, target) }
  const ask = async (one: IndexQuery) =>
    (await withTable(deps, target, table => index.search(table, one))) ?? []
  const scores = []
  const times: number[] = []
  let same = 0
  let compared = 0
  for (const [at, { query, relevant }] of queries.entries()) {
    signal.throwIfAborted()
    const began_ms = performance.now()
    const vector = profile && (await queryVector(profile, query, payer))
    const lists = await rankedLists(ask, profile, { query, vector }, { k: depth, prefilter })
    const ranked = [
      ...new Set(lists.flatMap(list => list.items.map(hit => String(hit.document_no)))),
    ]
    times.push(performance.now() - began_ms)
    scores.push(scoreRanking(ranked, await numbersOf(deps, target, relevant)))
    if (vector && at < exact_max) {
      const near = await ask({ vector, k: 10, prefilter })
      const exact = await ask({ vector, k: 10, prefilter, exact: true })
      const found = new Set(near.map(hit => hit.chunk_id))
      same += exact.filter(hit => found.has(hit.chunk_id)).length
      compared += exact.length
    }
    if (at % 100 === 99) await report(at + 1)
  }
  const p50_ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  return {
    ...meanScores(scores),
    ann_recall_at_10: compared === 0 ? 1 : same / compared,
    p50_ms: Math.round(p50_ms * 100) / 100,
  }
}

const Made = Type.Object({ created_by: Type.String() })

async function payerOf(
  { kernel: { db } }: Needed,
  { tenant_id, collection_id }: IndexVersion,
): Promise<Payer> {
  const { created_by: principal_id } = await db.one(
    Made,
    sql`
      select created_by from retrieval.collections
      where tenant_id = ${tenant_id} and id = ${collection_id}`,
  )
  return { tenant_id, principal_id, parent_id: collection_id }
}

const SetId = Type.Object({ id: Type.Integer() })

async function allSets(
  { kernel: { db } }: Needed,
  { tenant_id, collection_id }: IndexVersion,
): Promise<number[]> {
  const rows = await db.many(
    SetId,
    sql`
      select id from retrieval.acl_sets
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}`,
  )
  return [0, ...rows.map(row => row.id)]
}

const No = Type.Object({ no: Type.Integer() })

async function numbersOf(
  { kernel: { db } }: Needed,
  { tenant_id, collection_id }: IndexVersion,
  relevant: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many(
    No,
    sql`
      select no from retrieval.documents
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and deleted_at is null
        and (id::text = any(${relevant}::text[]) or source_uri = any(${relevant}::text[]))`,
  )
  return new Set(rows.map(row => String(row.no)))
}
