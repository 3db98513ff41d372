/**
 * Finds the best chunks for a question, by words and by vector, limited by the access lists of the
 * caller. Results are joined by rank (reciprocal rank fusion) and never by raw scores, because raw
 * scores reveal something about other people's chunks. Hits that the live rows do not confirm are
 * dropped, and the search continues further down the list.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import type { Deps } from '../deps.ts'
import { IndexFailed, type IndexHit, type IndexQuery, type Prefilter } from '../engines/index.ts'
import { problem } from '../errors.ts'
import { tableOf } from '../indexes/index-versions.ts'
import { documentIdsOf, facetsOf, fits, type Conditions } from './filters.ts'
import { hydrate, type Source } from './hydrate.ts'
import { fuse, queryVector, rankedLists, type RankedList } from './rank.ts'
import { areCurrent, searchScope, type SearchPlace } from './scope.ts'

export type Question = {
  readonly collection_ids: readonly string[]
  readonly query: string
  readonly conditions: Conditions
  readonly top_k: number
  readonly tags: readonly string[]
}

export type Found = {
  readonly sources: readonly Source[]
  /** The index versions and parameters, so that an answer can be explained. */
  readonly retrieval_version: string
  /** `vector` if only words were compared. */
  readonly degraded: readonly string[]
}

const search_version = 'rrf@1'
const depth_first = 50
const rounds_max = 3
/** Between two attempts, a purge has moved the rows of an index to another table. */
const attempts_max = 4

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

export async function search(deps: Needed, caller: Caller, question: Question): Promise<Found> {
  const { db } = deps.kernel
  for (let attempt = 1; attempt <= attempts_max; attempt++) {
    const places = await searchScope(db, caller, question.collection_ids)
    await deps.kernel.fault('retrieval.before_index_search')
    const { hits, is_whole, ...found } = await searchPlaces(deps, caller, places, question)
    if (!(await areCurrent(db, caller, places))) continue
    // Once is enough: the index has the newer version by now.
    if (attempt === 1 && !is_whole && (await areSuperseded(db, caller, places, hits))) continue
    return found
  }
  throw problem('index_unavailable')
}

async function searchPlaces(
  deps: Needed,
  caller: Caller,
  places: readonly SearchPlace[],
  { query, conditions, top_k, tags }: Question,
): Promise<Found & { readonly hits: readonly IndexHit[]; readonly is_whole: boolean }> {
  const { db } = deps.kernel
  const document_nos = await numbersOf(db, caller, conditions)
  const degraded = new Set<string>()
  const asked = { query, facets: facetsOf(conditions), document_nos }
  const vectors = await vectorsOf(deps, caller, places, { query, tags })
  if (places.some(place => !vectors.has(place.embedding_profile))) degraded.add('vector')
  let hits: IndexHit[] = []
  let readable: Readable = { sources: [], is_whole: true }
  for (let round = 0, depth = depth_first; round < rounds_max; round++, depth *= 2) {
    const lists = await Promise.all(
      places.map(place => {
        const vector = vectors.get(place.embedding_profile)
        return searchPlace(deps, caller, place, { ...asked, vector, depth })
      }),
    )
    await deps.kernel.fault('retrieval.after_index_search')
    hits = lists.flat().flatMap(list => list.items)
    const ids = fuse(lists.flat(), hit => hit.chunk_id)
    readable = await firstReadable(db, caller, ids, { conditions, top_k })
    const exhausted = lists.flat().every(list => list.items.length < depth)
    if (readable.sources.length === top_k || exhausted) break
  }
  const versions = places.map(one => `${one.id}:${one.index_version}`).join(',')
  const retrieval_version = `${search_version} ${versions}`
  return { ...readable, retrieval_version, degraded: [...degraded], hits }
}

/** `is_whole` if every chunk that was read may be shown. */
type Readable = { readonly sources: readonly Source[]; readonly is_whole: boolean }

/**
 * The first `top_k` that the caller may read now. Usually the first ids are enough. Otherwise all are
 * read in one statement: with two, a document could be updated in between, and both versions shown.
 */
async function firstReadable(
  reader: Reader,
  caller: Caller,
  ids: readonly string[],
  { conditions, top_k }: Pick<Question, 'conditions' | 'top_k'>,
): Promise<Readable> {
  const read = async (some: readonly string[]) => {
    const hydrated = await hydrate(reader, caller, some)
    const sources = distinct(hydrated.filter(one => fits(one, conditions))).slice(0, top_k)
    return { sources, is_whole: hydrated.length === some.length }
  }
  const few = ids.slice(0, 2 * top_k)
  const found = await read(few)
  return found.sources.length === top_k || few.length === ids.length ? found : await read(ids)
}

/**
 * Whether a newer version of a document is served than the index had when it was read. An update in
 * between hides the old chunks, and the new ones are not among the hits.
 */
async function areSuperseded(
  reader: Reader,
  { tenant_id }: Caller,
  places: readonly SearchPlace[],
  hits: readonly IndexHit[],
): Promise<boolean> {
  const newest = new Map<number, number>()
  for (const { document_no: no, document_version } of hits) {
    newest.set(no, Math.max(document_version, newest.get(no) ?? 0))
  }
  const rows = [...newest].map(([no, version]) => ({ no, version }))
  const { some } = await reader.one(
    Some,
    sql`
      select exists (select from ${sql.table(rows, { no: 'int8', version: 'int4' })} h
        join retrieval.documents d on d.tenant_id = ${tenant_id} and d.no = h.no
          and d.collection_id = any(${places.map(place => place.id)}::uuid[])
          and d.deleted_at is null and d.current_version > h.version) as some`,
  )
  return some
}

/** By profile, computed once for all rounds; missing if the profile cannot be used now. */
async function vectorsOf(
  { profiles }: Needed,
  { tenant_id, id: principal_id }: Caller,
  places: readonly SearchPlace[],
  { query, tags }: Pick<Question, 'query' | 'tags'>,
): Promise<ReadonlyMap<string, Float32Array>> {
  const wanted = new Map(places.map(place => [place.embedding_profile, place.id]))
  const made = await Promise.all(
    [...wanted].map(async ([name, parent_id]) => {
      const profile = profiles.find(name)
      const payer = { tenant_id, principal_id, parent_id, tags }
      const vector = profile && (await queryVector(profile, query, payer))
      return vector ? [[name, vector] as const] : []
    }),
  )
  return new Map(made.flat())
}

type Asked = {
  readonly query: string
  readonly vector: Float32Array | undefined
  readonly facets: bigint[][]
  readonly document_nos: number[] | null
  readonly depth: number
}

async function searchPlace(
  deps: Needed,
  caller: Caller,
  place: SearchPlace,
  { query, vector, facets, document_nos, depth }: Asked,
): Promise<RankedList<IndexHit>[]> {
  const prefilter: Prefilter = {
    acl_set_ids: place.acl_set_ids,
    facets,
    ...(document_nos === null ? {} : { document_nos }),
  }
  const profile = deps.profiles.find(place.embedding_profile)
  return await rankedLists(
    one => ask(deps, caller, place, one),
    profile,
    { query, vector },
    { k: depth, prefilter },
  )
}

/** A table is dropped after a purge or a switch. Then its name is read again, once. */
async function ask(
  deps: Needed,
  caller: Caller,
  place: SearchPlace,
  query: IndexQuery,
): Promise<IndexHit[]> {
  try {
    return await deps.index.search(tableOf(place.table_id), query)
  } catch (error) {
    if (!(error instanceof IndexFailed)) throw error
    const { db } = deps.kernel
    const [again] = await searchScope(db, caller, [place.id])
    if (again && again.embedding_profile !== place.embedding_profile) return []
    try {
      return await deps.index.search(tableOf(again?.table_id ?? place.table_id), query)
    } catch (error_) {
      if (!(error_ instanceof IndexFailed)) throw error_
      if (error_.code === 'table_missing' && !(await hasChunks(db, caller, place.id))) return []
      throw problem('index_unavailable', {}, { cause: error_ })
    }
  }
}

const Some = Type.Object({ some: Type.Boolean() })

/** The table of a collection is created with its first document. */
async function hasChunks(reader: Reader, { tenant_id }: Caller, id: string): Promise<boolean> {
  const { some } = await reader.one(
    Some,
    sql`
      select exists (select from retrieval.documents
        where tenant_id = ${tenant_id} and collection_id = ${id} and deleted_at is null
          and current_version is not null) as some`,
  )
  return some
}

/** If several chunks have the same content, only the best one is kept. */
function distinct(sources: readonly Source[]): Source[] {
  const seen = new Set<string>()
  return sources.filter(({ content_hash }) => {
    const hash = content_hash.toString('hex')
    if (seen.has(hash)) return false
    seen.add(hash)
    return true
  })
}

const No = Type.Object({ no: Type.Integer() })

async function numbersOf(
  reader: Reader,
  { tenant_id }: Caller,
  conditions: Conditions,
): Promise<number[] | null> {
  const ids = documentIdsOf(conditions)
  if (ids === null) return null
  const rows = await reader.many(
    No,
    sql`
      select no from retrieval.documents
      where tenant_id = ${tenant_id} and id::text = any(${ids}::text[]) and deleted_at is null`,
  )
  return rows.map(row => row.no)
}
