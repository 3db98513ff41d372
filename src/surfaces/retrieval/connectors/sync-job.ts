/**
 * A sync adds or updates every listed page. Then, if the listing is complete and not empty, it
 * deletes documents whose pages are gone. If a run would delete very many documents, it pauses the
 * connector instead, because a source is more often broken than empty.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { JobFailure, nullable, oneOf, sql } from '#dodeca/kernel'
import type { JobType, RunningJob, Tx } from '#dodeca/kernel'
import { AclEntry } from '../access/acl-entries.ts'
import type { Deps } from '../deps.ts'
import { addDocument, checksumOf } from '../documents/add-document.ts'
import { dropDocument } from '../documents/delete-document.ts'
import { endJob, reopenJob } from '../ingestion/end-job.ts'
import { NoParameters } from '../ingestion/ingest-job.ts'
import { pipeline_version } from '../ingestion/pipeline.ts'
import { openStages } from '../ingestion/stages.ts'
import { crawl, type Crawl, type Earlier, type Page } from './crawl.ts'
import { ownerManages, skippedBy, stopConnector } from './owner.ts'
import { connector_kinds, ConnectorConfig, delete_policies } from './schemas.ts'

const Order = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  kind: oneOf(...connector_kinds),
  state: Type.String(),
  config: ConnectorConfig,
  acl: nullable(Type.Array(AclEntry)),
  delete_policy: oneOf(...delete_policies),
  max_documents: Type.Integer(),
  created_by: Type.String(),
  session_id: nullable(Type.String()),
  asked: Type.Unknown(),
})
type Order = Static<typeof Order>
const Asked = Type.Object({ confirmed: Type.Boolean() })

/** More deletions than this share and this number are probably caused by an outage. */
const guard = { share: 0.3, many: 20 }
const text_types = ['text/html', 'text/plain', 'text/markdown', 'text/csv', 'application/json']

export function syncJob(deps: Deps): JobType {
  return {
    type: 'retrieval.sync',
    schema_version: 1,
    parameters: NoParameters,
    lease_seconds: 60,
    timeout_seconds: 6 * 3600,
    max_attempts: 3,
    tenant_max_running: 2,
    run: job => sync(deps, job),
    ended: endJob,
    reopened: reopenJob,
  }
}

async function sync(deps: Deps, job: RunningJob): Promise<undefined> {
  const { db } = deps.kernel
  const { tenant_id } = job
  const connector = await db.maybe(
    Order,
    sql`
      select n.id, n.collection_id, n.kind, n.state, n.config, n.acl, n.delete_policy,
        n.max_documents, n.created_by, n.session_id, j.input as asked
      from retrieval.ingestion_jobs j
      join retrieval.connectors n on n.tenant_id = j.tenant_id and n.id = j.connector_id
      where j.tenant_id = ${tenant_id} and j.id = ${job.id} and n.state <> 'deleted'`,
  )
  if (!connector) throw new JobFailure('connector_deleted')
  await requireOwner(deps, tenant_id, connector)
  const confirmed = Value.Check(Asked, connector.asked) && connector.asked.confirmed
  const stages = openStages(deps.kernel, job)
  await stages.set('list', { state: 'running' })
  const state: Crawl = { complete: true }
  const seen: string[] = []
  let changed = 0
  // An uploads connector gets new files from their events.
  if (connector.kind === 'web') {
    const most = Math.min(deps.kernel.settings['retrieval.web_pages'], connector.max_documents)
    const earlier = (url: string) => findEarlier(deps, tenant_id, connector, url)
    for await (const page of crawl(deps, connector.config, most, state, job.signal, earlier)) {
      seen.push(page.url)
      if (page.unchanged) continue
      if (await upsertPage(deps, tenant_id, connector, page)) changed++
      await job.progress({ stage: 'list', current: seen.length })
    }
  }
  // The next sync finds it again, and nothing was deleted.
  if (seen.length === 0 && !state.complete) throw new JobFailure('fetch_failed')
  await stages.set('list', { state: 'done', done: seen.length })
  const listed = state.complete && seen.length > 0
  const removes = listed && connector.delete_policy === 'tombstone'
  const deleted = removes ? await deleteGone(deps, job, connector, seen, confirmed) : 0
  const result = { listed: seen.length, complete: state.complete, changed, deleted }
  await job.commit(tx =>
    tx.run(sql`
      update retrieval.ingestion_jobs set result = ${sql.json(result)}
      where tenant_id = ${tenant_id} and id = ${job.id}`),
  )
  return undefined
}

async function requireOwner(deps: Deps, tenant_id: string, connector: Order): Promise<void> {
  const { db } = deps.kernel
  if (await ownerManages(db, deps, tenant_id, connector)) return
  await db.tx(tx => stopConnector(tx, tenant_id, connector, 'error', 'owner_lost_access'))
  throw new JobFailure('owner_lost_access')
}

/** Another pipeline reads the page again. The pipeline is null until the version is extracted. */
const is_of_pipeline = sql`coalesce(v.pipeline_version, ${pipeline_version}) = ${pipeline_version}`

const Stored = Type.Object({
  source_version: Type.String(),
  content_type: Type.String(),
  text: Type.String(),
})

/** Undefined if the page must be fetched even if its version is unchanged. */
async function findEarlier(
  { kernel: { db } }: Deps,
  tenant_id: string,
  { id: connector_id, collection_id }: Order,
  url: string,
): Promise<Earlier | undefined> {
  return await db.maybe(
    Stored,
    sql`
      select v.source_version, coalesce(v.content_type, '') as content_type,
        coalesce(v.input_text, '') as text
      from retrieval.documents d
      join retrieval.document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.id
        and v.version = d.latest_version
      where d.tenant_id = ${tenant_id} and d.collection_id = ${collection_id}
        and d.source_uri = ${url} and d.connector_id = ${connector_id} and d.deleted_at is null
        and d.state <> 'failed' and v.source_version is not null and v.checksum is not null
        and ${is_of_pipeline}`,
  )
}

const Known = Type.Object({ checksum: nullable(Type.Unsafe<Buffer>(Type.Any())) })

/** Returns false if the page is unchanged, or if its URL names a document of another source. */
async function upsertPage(
  deps: Deps,
  tenant_id: string,
  connector: Order,
  page: Page,
): Promise<boolean> {
  const { db } = deps.kernel
  const { id: connector_id, collection_id, created_by, acl } = connector
  const is_text = text_types.includes(page.content_type)
  const text = is_text ? page.body.toString('utf8') : ''
  const checksum = checksumOf(is_text ? text : page.body)
  const known = await db.maybe(
    Known,
    sql`
      select v.checksum from retrieval.documents d
      join retrieval.document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.id
        and v.version = d.latest_version
      where d.tenant_id = ${tenant_id} and d.collection_id = ${collection_id}
        and d.source_uri = ${page.url} and d.deleted_at is null
        and d.state <> 'failed' and ${is_of_pipeline}`,
  )
  if (known?.checksum?.equals(checksum)) return false
  const source = is_text
    ? { text, content_type: page.content_type, checksum }
    : { fetch_uri: page.url, content_type: null, checksum: null }
  const given = {
    collection_id,
    created_by,
    source_kind: 'connector' as const,
    connector_id,
    source_uri: page.url,
    source_version: page.source_version,
    title: null,
    metadata: {},
    acl,
    ...source,
  }
  await requireOwner(deps, tenant_id, connector)
  try {
    await db.tx(async tx => {
      await addDocument(tx, deps, tenant_id, null, given)
      // After the collection, in the order in which a deletion of the collection locks them.
      await holdConnector(tx, tenant_id, connector_id)
    })
    return true
  } catch (error) {
    if (error instanceof JobFailure) throw error
    const code = skippedBy(error)
    if (code !== 'document_not_found') throw new JobFailure(code, { cause: error })
    return false
  }
}

const Held = Type.Object({ id: Type.String() })

/** A sync may take hours. Until the commit the connector is not deleted. */
async function holdConnector(tx: Tx, tenant_id: string, id: string): Promise<void> {
  const held = await tx.maybe(
    Held,
    sql`
      select id from retrieval.connectors
      where tenant_id = ${tenant_id} and id = ${id} and state <> 'deleted' for share`,
  )
  if (!held) throw new JobFailure('connector_deleted')
}

const Gone = Type.Object({ id: Type.String(), version: Type.Integer() })
const Count = Type.Object({ all: Type.Integer(), gone: Type.Integer() })

async function deleteGone(
  deps: Deps,
  job: RunningJob,
  connector: Order,
  seen: readonly string[],
  confirmed: boolean,
): Promise<number> {
  const { db } = deps.kernel
  const { tenant_id } = job
  const { id: connector_id, collection_id, created_by: submitter_id } = connector
  const mine = sql`d.tenant_id = ${tenant_id} and d.connector_id = ${connector_id}
    and d.deleted_at is null`
  const { all, gone } = await db.one(
    Count,
    sql`
      select count(*)::int as all,
        (count(*) filter (where not d.source_uri = any(${seen}::text[])))::int as gone
      from retrieval.documents d where d.tenant_id = ${tenant_id} and ${mine}`,
  )
  if (!confirmed && gone > guard.many && gone > all * guard.share) {
    const reason = 'connector_mass_delete_suspected'
    await db.tx(tx => stopConnector(tx, tenant_id, connector, 'paused', reason))
    throw new JobFailure(reason)
  }
  for (let deleted = 0; ;) {
    job.signal.throwIfAborted()
    await requireOwner(deps, tenant_id, connector)
    const many = await db.tx(async tx => {
      await holdConnector(tx, tenant_id, connector_id)
      const rows = await tx.many(
        Gone,
        sql`
          select d.id, d.version from retrieval.documents d
          where d.tenant_id = ${tenant_id} and ${mine}
            and not d.source_uri = any(${seen}::text[])
          order by d.id limit 50 for update`,
      )
      for (const { id, version } of rows) {
        await dropDocument(tx, deps, { tenant_id, id, version, collection_id, submitter_id })
      }
      return rows.length
    })
    if (many === 0) return deleted
    deleted += many
  }
}
