/**
 * Makes a document version searchable, stage by stage. Each stage stores its result in PostgreSQL
 * before the next begins. An attempt after a crash skips the stored results, so it continues where
 * the last attempt stopped. When an attempt reports a stage, its lease is checked. If another
 * attempt has replaced it, it stops.
 */
import { Type } from 'typebox'
import { closed, JobFailure, sql, type JobType, type RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { default_limits, ExtractionFailed } from '../extraction/extract.ts'
import { liveVersions } from '../indexes/index-versions.ts'
import { activateVersion, IndexAppeared, type Written } from './activate-version.ts'
import { discardVersion } from './discard-version.ts'
import { endIngestion, reopenJob } from './end-job.ts'
import { keepFetched, openFetching, readSource } from './load-source.ts'
import { pipeline_version } from './pipeline.ts'
import { readVersion, type IngestedVersion } from './read-version.ts'
import { now_json, openStages, type Stages } from './stages.ts'
import { storeChunks } from './store-chunks.ts'
import { writeVersion } from './write-index.ts'

type Needed = Deps
type Fetching = ReturnType<typeof openFetching>
type Work = {
  readonly deps: Needed
  readonly job: RunningJob
  readonly stages: Stages
  readonly fetching: Fetching
}

export const NoParameters = closed({})

export function ingestJob(deps: Needed): JobType {
  const fetching = openFetching(deps)
  return {
    type: 'retrieval.ingest',
    schema_version: 1,
    parameters: NoParameters,
    permission: 'retrieval.collections.use',
    // The document is the collection's, and each reader is asked.
    outlives_owner: true,
    result: Type.Object({ chunks: Type.Integer() }),
    lease_seconds: 30,
    // OCR takes 10 minutes, and 20,000 chunks take half an hour with a semantic profile.
    timeout_seconds: 2 * 3600,
    max_attempts: 5,
    backoff: { base_ms: 1000, cap_ms: 60_000 },
    tenant_max_running: 4,
    run: async job => {
      const work = { deps, job, stages: openStages(deps.kernel, job), fetching }
      try {
        return await ingest(work)
      } catch (error) {
        if (error instanceof JobFailure && error.code === 'document_deleted') {
          await discardVersion(deps, job)
        }
        throw error
      }
    },
    ended: endIngestion(deps),
    reopened: reopenJob,
  }
}

async function ingest(work: Work): Promise<{ chunks: number } | undefined> {
  const { deps, job } = work
  await begin(work)
  await fetched(work, await current(work))
  const version = await current(work)
  if (await isUnchanged(work, version)) return { chunks: 0 }
  await extracted(work, version)
  await deps.kernel.fault('retrieval.before_chunk')
  await work.stages.set('chunk', { state: 'running' })
  const chunks = await storeChunks(deps, await current(work), job.signal)
  await work.stages.set('chunk', { state: 'done', done: chunks, total: chunks })
  await deps.kernel.fault('retrieval.before_embed')
  for (;;) {
    const written = await indexed(work, await current(work), chunks)
    await deps.kernel.fault('retrieval.before_activate')
    await work.stages.set('activate', { state: 'running' })
    try {
      const ready = await current(work)
      await job.commit(async tx => {
        await activateVersion(tx, ready, chunks, written)
        await doneIn(tx, job, 'activate')
      })
      return undefined
    } catch (error) {
      if (!(error instanceof IndexAppeared)) throw error
    }
  }
}

/** The current row, because the document may have been deleted between two stages. */
async function current({ deps, job }: Work): Promise<IngestedVersion> {
  const version = await readVersion(deps.kernel.db, job.tenant_id, job.id)
  // The rows of a version are removed when a newer one is served.
  if (!version) throw new JobFailure('document_superseded')
  if (version.deleted) throw new JobFailure('document_deleted')
  return version
}

async function begin({ deps: { kernel }, job }: Work): Promise<void> {
  await kernel.db.run(sql`
    update retrieval.ingestion_jobs j
    set pipeline_version = ${pipeline_version} || ' ' || c.embedding_profile
    from retrieval.collections c
    where j.tenant_id = ${job.tenant_id} and j.id = ${job.id}
      and c.tenant_id = j.tenant_id and c.id = j.collection_id`)
  await kernel.db.run(sql`
    update retrieval.documents d set state = 'processing', error_code = null
    from retrieval.ingestion_jobs j
    where j.tenant_id = ${job.tenant_id} and j.id = ${job.id} and d.tenant_id = j.tenant_id
      and d.id = j.document_id and d.deleted_at is null and d.latest_version = j.document_version`)
}

async function fetched(work: Work, version: IngestedVersion): Promise<void> {
  const { deps, job, stages, fetching } = work
  await deps.kernel.fault('retrieval.before_fetch')
  const { fetch_uri } = version
  if (fetch_uri === null) return await stages.set('fetch', { state: 'skipped' })
  await stages.set('fetch', { state: 'running' })
  // The checksum is written after the object. If there is no checksum, the bytes may be missing.
  if (version.checksum === null) {
    await keepFetched(deps, version, await fetching(fetch_uri, job))
  }
  await stages.set('fetch', { state: 'done' })
}

/**
 * The same bytes with the same words about them: the version before stays, unless another one comes
 * between. A job that is retried after another job has made its version finds that version served.
 */
async function isUnchanged(work: Work, version: IngestedVersion): Promise<boolean> {
  const { deps, job, stages } = work
  await deps.kernel.fault('retrieval.before_verify')
  await stages.set('verify', { state: 'running' })
  const { checksum, current_checksum, same_words, earlier_open } = version
  const same = same_words && checksum !== null && current_checksum?.equals(checksum) === true
  await stages.set('verify', { state: 'done' })
  const is_served = version.current_version === version.version
  if (!is_served && (!same || earlier_open)) return false
  const { tenant_id, document_id } = version
  if (!is_served) await discardVersion(deps, job)
  await deps.kernel.db.run(sql`
    update retrieval.ingestion_jobs set unchanged = true
    where tenant_id = ${tenant_id} and id = ${job.id}`)
  await deps.kernel.db.run(sql`
    update retrieval.documents set state = 'ready'
    where tenant_id = ${tenant_id} and id = ${document_id} and state = 'processing'`)
  return true
}

async function extracted(work: Work, version: IngestedVersion): Promise<void> {
  const { deps, job, stages } = work
  await deps.kernel.fault('retrieval.before_extract')
  const type = version.content_type ?? 'application/octet-stream'
  const reads_images = type.startsWith('image/')
  await stages.set('extract', { state: 'running' })
  if (version.canonical === null) {
    const bytes = await readSource(deps, version)
    const { text, title, ...outline } = await deps.extractors
      .extract(bytes, type, default_limits, job)
      .catch(failedExtraction)
    const { tenant_id, document_id } = version
    await deps.kernel.db.run(sql`
      update retrieval.document_versions
      set canonical = ${text}, outline = ${sql.json(outline)}, pipeline_version = ${pipeline_version},
        title = coalesce(title, ${title?.slice(0, 300) ?? null})
      where tenant_id = ${tenant_id} and document_id = ${document_id}
        and version = ${version.version}`)
  }
  await stages.set('extract', { state: 'done' })
  await stages.set('ocr', { state: reads_images ? 'done' : 'skipped' })
  await stages.set('normalize', { state: 'done' })
}

function failedExtraction(error: unknown): never {
  if (!(error instanceof ExtractionFailed)) throw error
  throw new JobFailure(error.code, {
    retryable: error.code === 'extraction_timeout',
    cause: error,
  })
}

/** Written to every index version that must be up to date, not only the active one. */
async function indexed(work: Work, version: IngestedVersion, chunks: number): Promise<Written> {
  const { deps, job, stages } = work
  const { tenant_id, collection_id } = version
  const live = await liveVersions(deps.kernel.db, tenant_id, collection_id)
  const total = chunks * live.length
  const written = new Map<number, number>()
  let done = 0
  await stages.set('embed', { state: 'running', done, total })
  const report = async (many: number) => {
    done += many
    await stages.set('index', { state: 'running', done, total })
  }
  for (const target of live) {
    const set = await writeVersion(deps, version, target, job.signal, report)
    if (set === 'version_gone') {
      await current(work)
      throw new JobFailure('document_superseded')
    }
    if (set !== 'index_dropped') written.set(target.version, set)
  }
  await stages.set('embed', { state: 'done', done: total, total })
  await stages.set('index', { state: 'done', done: total, total })
  return written
}

async function doneIn(
  tx: { run: Deps['kernel']['db']['run'] },
  { tenant_id, id }: RunningJob,
  stage: string,
): Promise<void> {
  await tx.run(sql`
    update retrieval.ingestion_jobs j set stages = jsonb_set(
      jsonb_set(j.stages, array[${stage}::text, 'state'], '"done"'),
      array[${stage}::text, 'completed_at'], ${now_json})
    where j.tenant_id = ${tenant_id} and j.id = ${id}`)
}
