/**
 * Creates a batch: first its row, then its recipients in portions as they arrive, and at last the
 * transaction that allows it to be sent. The row also records the idempotency key, with a lease
 * while the request runs. A retry after a dead request starts again.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Principal } from '../../../kernel/access/principal.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireData, prepare } from '../intents/prepare-order.ts'
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
import type { BatchHeader, RejectedLine } from './schemas.ts'
import { lease_seconds, leased, writePortion } from './write-portion.ts'
import { limit } from '../../../kernel/limits.ts'

export type BatchRequest = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly key: string | null
  readonly is_ndjson: boolean
  readonly body: AsyncIterable<Buffer>
  /** Throws if the caller may not send batches of this category. */
  requireCategory(category: string): void
}

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
const Before = Type.Object({
  id: Id,
  state: Type.String(),
  alive: Type.Boolean(),
  request_fingerprint: Type.Unsafe<Buffer | null>({}),
})

/** Returns the id of the batch. */
export async function createBatch(deps: Deps, request: BatchRequest): Promise<string> {
  const hash = createHash('sha256')
  const body = hashed(request.body, hash)
  const { header, lines } = request.is_ndjson ? await readNdjson(body) : await readJson(body)
  request.requireCategory(header.category)
  const { batch, before } = await begin(deps, request, header)
  if (!batch) return replay(lines, hash, before)
  try {
    return await write(deps, batch, lines, () => hash.digest())
  } catch (error) {
    await discardBatch(deps.kernel.db, batch)
    throw error
  }
}

type Lines = AsyncIterable<ReadLine> | Iterable<ReadLine>

async function* hashed(body: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

async function readNdjson(
  body: AsyncIterable<Buffer>,
): Promise<{ header: BatchHeader; lines: Lines }> {
  const values = ndjson(body)
  const first = await values.next()
  const header = readHeader(first.done ? undefined : first.value.value)
  const lines = (async function* () {
    for await (const { line, value } of values) yield readLine(value, line)
  })()
  return { header, lines }
}

async function readJson(body: AsyncIterable<Buffer>) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > json_bytes_max) throw problem('content_too_large')
    chunks.push(chunk)
  }
  return readJsonBatch(Buffer.concat(chunks))
}

type Begun =
  | { readonly batch: Batch; readonly before: null }
  | { readonly batch: null; readonly before: Finished }
type Finished = { readonly id: string; readonly fingerprint: Buffer | null }

async function begin(deps: Deps, request: BatchRequest, header: BatchHeader): Promise<Begun> {
  const { db } = deps.kernel
  const before = await findBefore(deps, request)
  if (before) {
    if (before.state !== 'expanding') {
      return { batch: null, before: { id: before.id, fingerprint: before.request_fingerprint } }
    }
    if (before.alive) throw problem('idempotency_in_progress')
    await discardBatch(db, { tenant_id: request.principal.tenant_id, id: before.id })
  }
  return { batch: await insertRow(deps, request, header), before: null }
}

async function findBefore({ kernel: { db } }: Deps, { principal, key }: BatchRequest) {
  if (key === null) return undefined
  return db.maybe(
    Before,
    sql`
      select id, state, coalesce(expand_until > now(), false) as alive, request_fingerprint
      from notifications.notification_batches
      where tenant_id = ${principal.tenant_id} and principal_id = ${principal.id}
        and idempotency_key = ${key}`,
  )
}

async function insertRow(deps: Deps, request: BatchRequest, header: BatchHeader): Promise<Batch> {
  const { principal, grants, key } = request
  const { tenant_id, id: principal_id } = principal
  const { kernel, vault } = deps
  return kernel.db.tx(async tx => {
    const prepared = await prepare(tx, deps, { tenant_id, grants }, header, 'bulk')
    const { data = {} } = header
    const [id, token, shared_ref] = [newId(), newId(), newId()]
    const made = await tx.run(sql`
      insert into notifications.notification_batches
        (tenant_id, id, principal_id, idempotency_key, state, category, priority, lane,
          template_version, emit_events, expand_token, expand_until)
      values (${tenant_id}, ${id}, ${principal_id}, ${key}, 'expanding', ${prepared.category.name},
        ${prepared.priority}, ${laneOf(prepared.priority)}, ${prepared.template.ref},
        ${header.emit_events ?? false}, ${token}, now() + make_interval(secs => ${lease_seconds}))
      on conflict (tenant_id, principal_id, idempotency_key) where idempotency_key is not null
        do nothing`)
    // Another request with this key started at the same moment.
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

/** A repeated request gets the same batch; a different request with the key is refused. */
async function replay(
  lines: Lines,
  hash: ReturnType<typeof createHash>,
  before: Finished,
): Promise<string> {
  // The body is read to its end, so that its bytes can be compared.
  const rest = (async function* () {
    yield* lines
  })()
  while (!(await rest.next()).done) {
    // The lines were read by the first request.
  }
  if (before.fingerprint?.equals(hash.digest())) return before.id
  throw problem('idempotency_key_reused')
}

async function write(
  deps: Deps,
  batch: Batch,
  lines: Lines,
  fingerprint: () => Buffer,
): Promise<string> {
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
  await finish(deps, batch, { ...sum, rejected, rejected_count, fingerprint: fingerprint() })
  return batch.id
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
  readonly fingerprint: Buffer
}

async function finish({ kernel }: Deps, batch: Batch, sum: Sum): Promise<void> {
  await kernel.fault('notifications.before_dispatching')
  await kernel.db.tx(async tx => {
    const done = await tx.run(sql`
      update notifications.notification_batches
      set state = 'dispatching', total = ${sum.total}, duplicates = ${sum.duplicates},
        rejected = ${sql.json(sum.rejected)}, rejected_count = ${sum.rejected_count},
        request_fingerprint = ${sum.fingerprint}, expand_token = null, expand_until = null
      where tenant_id = ${batch.tenant_id} and ${leased(batch)}`)
    if (done === 0) throw problem('idempotency_in_progress')
    tx.wake(send_topic)
  })
}
