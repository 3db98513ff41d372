/**
 * Writes the chunks of one document version to one index version, with their vectors. The ids of
 * the rows are those of the chunks, so writing them again changes nothing.
 */
import { JobFailure, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { IndexVersion } from '../indexes/index-versions.ts'
import { embedChunks, type VersionPlace } from './embed-chunks.ts'
import { portion, Row, writeTogether, type WrittenAs } from './write-together.ts'

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles'>

/** Two portions were written with different lists, so no single list is right for all rows. */
const mixed = -1

export async function writeVersion(
  deps: Needed,
  place: VersionPlace,
  target: IndexVersion,
  signal: AbortSignal,
  report: (many: number) => Promise<void> = async () => {},
): Promise<WrittenAs> {
  const profile = deps.profiles.find(target.embedding_profile)
  if (!profile) throw new JobFailure('embedding_provider_unavailable', { retryable: true })
  await embedChunks(deps, profile, place, signal)
  let written: number | undefined
  for (let after = -1; ;) {
    signal.throwIfAborted()
    const rows = await readRows(deps, place, profile.id, after)
    const ended = await writeTogether(deps, target, { place, rows })
    if (typeof ended === 'string') return ended
    written = written === undefined || written === ended ? ended : mixed
    await report(rows.length)
    if (rows.length < portion) break
    after = rows.at(-1)?.ordinal ?? after
  }
  await markIndexed(deps, place, profile.id)
  return written
}

async function readRows(
  { kernel: { db } }: Needed,
  { tenant_id, document_id, version }: VersionPlace,
  profile: string,
  after: number,
) {
  return await db.many(
    Row,
    sql`
      select c.id, c.ordinal, c.pipeline_version, c.context, t.text, e.vector
      from retrieval.chunks c
      join retrieval.chunk_texts t on t.tenant_id = c.tenant_id and t.id = c.text_ref
      left join retrieval.embeddings e on e.tenant_id = c.tenant_id
        and e.embedding_model_version = ${profile} and e.content_hash = c.content_hash
      where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
        and c.document_version = ${version} and c.ordinal > ${after}
      order by c.ordinal limit ${portion}`,
  )
}

async function markIndexed(
  { kernel: { db } }: Needed,
  { tenant_id, document_id, version }: VersionPlace,
  profile: string,
): Promise<void> {
  await db.run(sql`
    update retrieval.embedding_records r set state = 'indexed'
    from retrieval.chunks c
    where c.tenant_id = ${tenant_id} and c.document_id = ${document_id}
      and c.document_version = ${version} and r.tenant_id = c.tenant_id and r.chunk_id = c.id
      and r.embedding_model_version = ${profile} and r.state <> 'indexed'`)
}
