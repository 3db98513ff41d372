/**
 * Adds a connector and submits its first sync. A connector acts with the rights of its creator.
 * These rights are checked at each run.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import { merged } from '../access/acl-entries.ts'
import type { Deps } from '../deps.ts'
import { inspectUrl } from '../documents/source.ts'
import { problem } from '../errors.ts'
import { submitJob } from '../ingestion/submit-job.ts'
import { secondsOf, type CreateConnector } from './schemas.ts'

const max_documents_usual = 10_000

/** Runs before the transaction. */
export async function inspectConnector(
  { fetch }: Pick<Deps, 'fetch'>,
  { kind, config, schedule }: CreateConnector,
): Promise<undefined> {
  if (schedule !== undefined) scheduleSeconds(schedule)
  if ((kind === 'web') !== (config?.urls !== undefined)) {
    throw problem('validation_failed', {
      detail: 'A connector of kind `web` needs `config.urls`; other kinds have no `config`.',
      errors: [{ location: 'body', pointer: '/config/urls', constraint: 'required' }],
    })
  }
  for (const url of config?.urls ?? []) await inspectUrl(fetch, url)
  return undefined
}

export function scheduleSeconds(schedule: string): number {
  const seconds = secondsOf(schedule)
  if (seconds !== null) return seconds
  throw problem('validation_failed', {
    detail: 'A schedule is at least five minutes, such as `PT1H`.',
    errors: [{ location: 'body', pointer: '/schedule', constraint: 'minimum' }],
  })
}

/** Returns the id. */
export async function createConnector(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'jobs'>,
  place: {
    readonly tenant_id: string
    readonly collection_id: string
    readonly created_by: string
    readonly session_id: string | null
  },
  given: CreateConnector,
): Promise<string> {
  const { tenant_id, collection_id, created_by, session_id } = place
  await deps.kernel.counted(
    tx,
    `retrieval.connectors:${collection_id}`,
    deps.kernel.settings['retrieval.connectors_per_collection'],
    sql`
      select from retrieval.connectors
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and state <> 'deleted'`,
  )
  const id = newId()
  const seconds = given.schedule === undefined ? null : scheduleSeconds(given.schedule)
  const acl = given.acl === undefined ? null : sql.json(merged(given.acl))
  const order = { tenant_id, kind: 'sync', collection_id, connector_id: id } as const
  const job_id = await submitJob(tx, deps, { ...order, submitter_id: created_by })
  await tx.run(sql`
    insert into retrieval.connectors (tenant_id, id, collection_id, kind, config,
      schedule_seconds, acl, delete_policy, max_documents, job_id, created_by, session_id,
      due_at)
    values (${tenant_id}, ${id}, ${collection_id}, ${given.kind},
      ${sql.json(given.config ?? {})}, ${seconds}, ${acl}, ${given.delete_policy ?? 'tombstone'},
      ${given.max_documents ?? max_documents_usual}, ${job_id}, ${created_by},
      ${session_id}, kernel.now() + make_interval(secs => ${seconds}::float8))`)
  return id
}
