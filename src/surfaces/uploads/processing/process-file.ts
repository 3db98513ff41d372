/**
 * Runs the stages of a file, one in each run: detect (type and content, in a child process), scan
 * (clamd, if one is configured), derive (images). The file's row is the queue entry. Only a file that
 * passed every stage becomes `available`. The first refusal moves it to `quarantined`.
 *
 * | from        | all stages passed | refused     | no scanner for a day |
 * | ----------- | ----------------- | ----------- | -------------------- |
 * | uploaded    | available         | quarantined | quarantined          |
 * | available   | available         | quarantined | available            |
 * | quarantined | available         | quarantined | quarantined          |
 *
 * An available file goes through the stages again only for a rescan. Only a finding moves it to
 * quarantine, and never an unavailable scanner.
 */
import { Type, type Static } from 'typebox'
import {
  again,
  columnsOf,
  dead,
  done,
  dueQueue,
  newId,
  retry,
  sql,
  StoreUnavailable,
} from '#dodeca/kernel'
import type { Claimed, DueQueue, Finished, Outcome, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { file_error_codes, type FileErrorCode } from '../errors.ts'
import { FileRow } from '../files/file-row.ts'
import { publishFile } from '../files/publish-file.ts'
import { quarantineFile } from '../files/quarantine-file.ts'
import { scanFile } from '../scanning/scan-file.ts'
import { isDiskFull, isFull } from '../storage/space.ts'
import { detectFile } from './detect-file.ts'
import { deriveFile } from './derive-file.ts'
import { Refused } from './inspector-protocol.ts'
import { InspectorFailed } from './inspectors.ts'
import { nextStage, type Found, type Stage } from './stages.ts'

const ProcessedRow = Type.Object({
  ...FileRow.properties,
  waited_seconds: Type.Number(),
  started_at: Type.String(),
})
type ProcessedRow = Static<typeof ProcessedRow>

type Result = { readonly stage: Stage; readonly found: Found }

export function processingQueue(deps: Deps): DueQueue {
  const { settings } = deps.kernel
  return dueQueue<typeof ProcessedRow, Result>({
    name: 'uploads.process',
    table: 'uploads.files',
    key: ['tenant_id', 'id'],
    row: ProcessedRow,
    load: sql`${columnsOf(FileRow, 't')},
      extract(epoch from kernel.now() - t.created_at)::float8 as waited_seconds,
      kernel.now() as started_at`,
    where: sql`t.stage is not null and t.state not in ('deleted', 'purged')`,
    batch: settings['uploads.processing'],
    concurrency: settings['uploads.processing'],
    lease_seconds: settings['uploads.processing_lease_seconds'],
    retry: { first: 1, factor: 2, cap: 300 },
    attempts_max: 8,
    fence: tx => deps.jobs.pauseFence(tx, 'uploads.process'),
    run: (file, signal) => runStage(deps, file, signal),
    finish: async (tx, file, outcome) => await finishStage(tx, deps, file, outcome),
    dead: async (tx, file, code) => {
      await noteAttempt(tx, file, 'failed', code)
      await refuse(tx, deps, file, code)
    },
  })
}

async function runStage(
  deps: Deps,
  file: Claimed<typeof ProcessedRow>,
  signal: AbortSignal,
): Promise<Outcome<Result>> {
  const stage = (file.stage ?? 'detect') as Stage
  await deps.kernel.fault(`uploads.before_${stage}`)
  try {
    const found = await stages[stage](deps, file, signal)
    const result = { stage, found }
    return nextStage(deps, file, result) === null ? done(result) : again(0, result)
  } catch (error) {
    if (signal.aborted) throw error
    // A full disk is never a finding: an image that cannot be written looks like one that is damaged.
    if (isFull(error) || (await isDiskFull(deps.kernel))) {
      return retry('storage_full', { counts: false })
    }
    if (error instanceof Refused) return dead(error.code)
    if (error instanceof StoreUnavailable) return retry('storage_unavailable', { counts: false })
    if (!(error instanceof InspectorFailed)) throw error
    const too_slow = error.code === 'processing_timeout' && file.attempt_no >= timeouts_max
    return too_slow ? dead(error.code) : retry(error.code)
  }
}

/** Each takes a minute of a process that other files wait for. */
const timeouts_max = 3

const stages: Readonly<
  Record<Stage, (deps: Deps, file: FileRow, signal: AbortSignal) => Promise<Found>>
> = { detect: detectFile, scan: scanFile, derive: deriveFile }

async function finishStage(
  tx: Tx,
  deps: Deps,
  file: Claimed<typeof ProcessedRow>,
  outcome: Finished<Result>,
): Promise<Outcome<Result> | undefined> {
  if (outcome.end === 'retry') {
    await noteAttempt(tx, file, 'retryable', outcome.code)
    return undefined
  }
  const { result } = outcome
  if (!result) return undefined
  const { found, stage } = result
  if (found.unavailable) return await waitForScanner(tx, deps, file)
  if (!found.refused) await noteAttempt(tx, file, 'succeeded', null)
  await tx.run(sql`
    update uploads.files
    set detected_type = coalesce(${found.detected_type ?? null}, detected_type),
      metadata = coalesce(${found.metadata ? sql.json(found.metadata) : null}::jsonb, metadata),
      scan_result = coalesce(${found.scan_result ? sql.json(found.scan_result) : null}::jsonb,
        scan_result),
      stage = ${found.refused ? stage : nextStage(deps, file, result)}
    where tenant_id = ${file.tenant_id} and id = ${file.id}`)
  if (stage === 'detect' && found.detected_type) {
    await tx.run(sql`
      update uploads.uploads set detected_type = ${found.detected_type}
      where tenant_id = ${file.tenant_id} and id = ${file.upload_id}`)
  }
  if (found.refused) return dead(found.refused)
  if (outcome.end === 'done') await publishFile(tx, file)
  return undefined
}

const scan_retry_seconds_max = 300

/**
 * An outage is never a verdict. Only a new file stops waiting after some time and goes into
 * quarantine.
 */
async function waitForScanner(
  tx: Tx,
  { kernel: { settings } }: Pick<Deps, 'kernel'>,
  file: ProcessedRow,
): Promise<Outcome<Result>> {
  const over = file.waited_seconds > settings['uploads.scan_outage_seconds']
  if (file.available_at === null && over) return dead('scan_unavailable')
  await noteAttempt(tx, file, 'retryable', 'scan_unavailable')
  // A tenth of the time that the file has waited, so that an outage of a day is some 300 attempts.
  const after_seconds = Math.max(
    settings['uploads.scan_retry_seconds'],
    Math.min(scan_retry_seconds_max, file.waited_seconds / 10),
  )
  return retry('scan_unavailable', { after_seconds, counts: false })
}

async function refuse(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  file: ProcessedRow,
  code: string,
): Promise<void> {
  const finding = known(code)
  const about_the_file = finding !== 'processing_failed' && finding !== 'processing_timeout'
  if (file.state === 'available' && (!about_the_file || finding === 'decoder_crashed')) {
    await tx.run(sql`
      update uploads.files set stage = null
      where tenant_id = ${file.tenant_id} and id = ${file.id}`)
    return
  }
  await quarantineFile(tx, kernel, file, finding)
  await tx.run(sql`
    update uploads.files set stage = null, error_code = ${finding}
    where tenant_id = ${file.tenant_id} and id = ${file.id} and state = 'quarantined'`)
}

function known(code: string): FileErrorCode {
  return file_error_codes.find(one => one === code) ?? 'processing_failed'
}

async function noteAttempt(
  tx: Tx,
  { tenant_id, id, stage, started_at }: ProcessedRow,
  status: 'succeeded' | 'retryable' | 'failed',
  error_code: string | null | undefined,
): Promise<void> {
  await tx.run(sql`
    insert into uploads.processing_attempts (tenant_id, id, file_id, stage, status, error_code,
      started_at)
    values (${tenant_id}, ${newId()}, ${id}, ${stage ?? 'detect'}, ${status}, ${error_code ?? null},
      ${started_at})`)
}
