/**
 * Creates a batch: first its row, then its recipients in portions as they arrive, and at last the
 * transaction that allows it to be sent. While the request runs, its row has a lease.
 */
import { limit, narrowSession, newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireData, prepare } from '../intents/prepare-order.ts'
import type { Caller } from '../intents/read-notification.ts'
import { laneOf } from '../schemas.ts'
import { send_topic } from '../topics.ts'
import { keyName, seal } from '../vault.ts'
import { discardBatch } from './discard-batch.ts'
import type { Batch } from './expand.ts'
import {
  ndjson,
  readHeader,
  readJsonBatch,
  readLine,
  type Line,
  type ReadLine,
} from './read-lines.ts'
import { readBatch } from './read-batch.ts'
import type { BatchHeader, BatchView, RejectedLine } from './schemas.ts'
import { lease_seconds, leased, writePortion } from './write-portion.ts'

/**
 * While one portion is written, the next one is read. Larger portions cost memory and are not
 * faster.
 */
const portion = 2500
const shown_max = 100
const json_bytes_max = limit(
  'notifications.batch_json_bytes',
  1024 * 1024,
  'bytes',
  'Largest batch that is sent as application/json',
)

/** A batch whose recipients are written. `finishBatch` lets it be sent. */
export type Written = { readonly batch: Batch; readonly caller: Caller; readonly sum: Sum }

/** The header is checked before anything is written. */
export async function readBatchBody(
  is_ndjson: boolean,
  body: AsyncIterable<Buffer>,
): Promise<BatchBody> {
  return is_ndjson ? await readNdjson(body) : await readJson(body)
}

export type BatchBody = { readonly header: BatchHeader; readonly lines: Lines }

/** A retry after a dead request has the same id, and starts again. */
export async function writeBatch(
  deps: Deps,
  caller: Caller,
  id: string,
  { header, lines }: BatchBody,
): Promise<Written> {
  await discardBatch(deps.kernel.db, { tenant_id: caller.principal.tenant_id, id })
  const batch = await insertRow(deps, caller, id, header)
  try {
    return { batch, caller, sum: await write(deps, batch, lines) }
  } catch (error) {
    await discardBatch(deps.kernel.db, batch)
    throw error
  }
}

type Lines = AsyncIterable<ReadLine> | Iterable<ReadLine>

async function readNdjson(body: AsyncIterable<Buffer>): Promise<BatchBody> {
  const values = ndjson(body)
  const first = await values.next()
  const header = readHeader(first.done ? undefined : first.value.value)
  const lines = (async function* () {
    for await (const { line, value } of values) yield readLine(value, line)
  })()
  return { header, lines }
}

async function readJson(body: AsyncIterable<Buffer>): Promise<BatchBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > json_bytes_max) throw problem('content_too_large')
    chunks.push(chunk)
  }
  return readJsonBatch(Buffer.concat(chunks))
}

async function insertRow(
  deps: Deps,
  { principal, grants }: Caller,
  id: string,
  header: BatchHeader,
): Promise<Batch> {
  const { tenant_id, id: principal_id } = principal
  const session_id = narrowSession(principal)
  const { kernel, vault } = deps
  return kernel.db.tx(async tx => {
    const prepared = await prepare(tx, deps, { tenant_id, grants }, header, 'bulk')
    const { data = {} } = header
    const [token, shared_ref] = [newId(), newId()]
    const made = await tx.run(sql`
      insert into notifications.notification_batches
        (tenant_id, id, principal_id, session_id, state, category, priority, lane,
          template_version, emit_events, expand_token, expand_until)
      values (${tenant_id}, ${id}, ${principal_id}, ${session_id}, 'expanding',
        ${prepared.category.name}, ${prepared.priority}, ${laneOf(prepared.priority)}, ${prepared.template.ref},
        ${header.emit_events ?? false}, ${token}, now() + make_interval(secs => ${lease_seconds}))
      on conflict do nothing`)
    // Another attempt of this request started at the same moment.
    if (made === 0) throw problem('idempotency_in_progress')
    const owner = { tenant_id, owner_id: id }
    const data_key = (await vault.keysFor(tx, [owner])).get(keyName(owner)) as Buffer
    const text = JSON.stringify(data)
    await tx.run(sql`
      insert into notifications.notification_inputs (tenant_id, ref, owner_id, ciphertext, bytes)
      values (${tenant_id}, ${shared_ref}, ${id}, ${seal(data_key, text, `input ${shared_ref}`)},
        ${Buffer.byteLength(text)})`)
    return {
      ...prepared,
      id,
      tenant_id,
      principal_id,
      session_id,
      token,
      data,
      shared_ref,
      locale: header.locale ?? null,
      metadata: header.metadata ?? null,
      emits: header.emit_events ?? false,
      created_at_ms: kernel.clock.nowMs(),
    }
  })
}

async function write(deps: Deps, batch: Batch, lines: Lines): Promise<Sum> {
  const most = deps.kernel.settings['notifications.batch_recipients']
  const sum = { read: 0, total: 0, duplicates: 0 }
  const rejected: RejectedLine[] = []
  let rejected_count = 0
  let waiting: Line[] = []
  let shared_fits: boolean | null = null
  const reject = (one: RejectedLine) => {
    rejected_count++
    if (rejected.length < shown_max) rejected.push(one)
  }
  let writing = Promise.resolve()
  const flush = async () => {
    const now = waiting
    waiting = []
    await writing
    if (now.length === 0) return
    writing = writePortion(deps, batch, now).then(written => {
      sum.total += written.total
      sum.duplicates += written.duplicates
      for (const one of written.rejected) reject(one)
    })
    // The error of this portion is handled later: before the next portion, or at the end of the
    // batch.
    writing.catch(() => {})
  }
  for await (const one of lines) {
    if (++sum.read > most) {
      throw problem('too_many_recipients', { detail: `A batch has at most ${most} recipients.` })
    }
    if ('code' in one) reject(one)
    else {
      if (one.data === null && shared_fits === null) {
        await requireData(deps, batch.template, batch.data)
        shared_fits = true
      }
      waiting.push(one)
    }
    if (waiting.length >= portion) await flush()
  }
  await flush()
  await writing
  if (sum.total === 0) {
    throw problem('batch_line_invalid', { detail: noLine(sum.read, rejected[0]?.code) })
  }
  await deps.kernel.fault('notifications.before_dispatching')
  return { ...sum, rejected, rejected_count }
}

function noLine(read: number, code: string | undefined): string {
  if (code === undefined) return 'There is no recipient. Each line after the header is one.'
  const form =
    code === 'validation_failed'
      ? ' A line has the form {"recipient": {"email": "ann@example.org"}}.'
      : ''
  return `None of ${read} lines can be used. The first: ${code}.${form}`
}

type Sum = {
  readonly total: number
  readonly duplicates: number
  readonly rejected: readonly RejectedLine[]
  readonly rejected_count: number
}

export async function finishBatch(tx: Tx, { batch, caller, sum }: Written): Promise<BatchView> {
  const done = await tx.run(sql`
    update notifications.notification_batches
    set state = 'dispatching', total = ${sum.total}, duplicates = ${sum.duplicates},
      rejected = ${sql.json(sum.rejected)}, rejected_count = ${sum.rejected_count},
      expand_token = null, expand_until = null
    where tenant_id = ${batch.tenant_id} and ${leased(batch)}`)
  if (done === 0) throw problem('idempotency_in_progress')
  tx.wake(send_topic)
  return await readBatch(tx, caller, batch.id)
}
