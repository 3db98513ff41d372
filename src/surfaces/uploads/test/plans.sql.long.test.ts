/** What requests and sweeps ask finds its rows by index at 100,000 files: no Seq Scan. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, type Db, type Sql, type Tx } from '#dodeca/kernel'
import { directClient } from '../../../kernel/database/direct.ts'
import { compile } from '../../../kernel/database/sql.ts'
import { claimStatement } from '../../../kernel/work/run-queue.ts'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { readable } from '../files/may-read.ts'
import { serveFile } from '../files/serve-file.ts'
import { receivePart } from '../parts/receive-part.ts'
import { processingQueue } from '../processing/process-file.ts'
import { blockHash } from '../scanning/blocked-hashes.ts'
import { purgeFiles } from '../storage/purge-files.ts'
import { missingObjects } from '../storage/reconcile.ts'
import { expireUploads, removeParts } from '../storage/remove-parts.ts'
import { uploadRoutes } from '../uploads/routes.ts'
import { findUpload } from '../uploads/upload-row.ts'
import { verificationQueue } from '../uploads/verify-upload.ts'

const rows = 100_000
const tenant = '01900000-0000-7000-8000-0000000000bb'
const owner = '01900000-0000-7000-8000-0000000000aa'
const id = newId()

let ground: Clone
let client: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(`
    insert into uploads.uploads (tenant_id, id, owner_id, purpose, media_category, storage_key,
      expected_size, part_size, part_count, state, multipart_upload_id, reserved_bytes, due_at,
      expires_at, retention_until)
    select '${tenant}', gen_random_uuid(), '${owner}', 'generic', 'any', 'o/u' || g, 10, 10, 1,
      case when g % 100 = 0 then 'initiated' else 'available' end,
      case when g % 50 = 0 then 'reference-' || g end, 0, case when g % 500 = 0 then now() end,
      now() + g * interval '1 minute', now() + g * interval '1 minute'
    from generate_series(1, ${rows}) g`)
  await client.query(`
    insert into uploads.files (tenant_id, id, upload_id, owner_id, purpose, storage_key,
      storage_version, size, sha256, media_category, state, stage, reserved_bytes, due_at,
      available_at, retention_until)
    select tenant_id, gen_random_uuid(), id, owner_id, purpose, storage_key, 'v', 10,
      sha256(id::text::bytea), 'any', 'available', null, 10,
      case when storage_key like '%77' then now() end, now(),
      case when storage_key like '%33' then expires_at end
    from uploads.uploads`)
  await client.query('analyze')
  // What a statement that is prepared once gets, whatever its values are.
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

type Node = { 'Node Type': string; 'Relation Name'?: string; Plans?: Node[] }

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

/** The statements that a function sends, by a database that only listens. */
async function sent(run: (db: Db & Tx, kernel: never) => Promise<unknown>): Promise<Sql[]> {
  const statements: Sql[] = []
  const listen = async (...asked: unknown[]) => {
    statements.push(asked.at(-1) as Sql)
    return []
  }
  const tx = { many: listen, maybe: async (...all: unknown[]) => void (await listen(...all)) }
  const listening = { ...tx, one: listen, run: listen, audit: () => {}, wake: () => {} }
  const db = { ...listening, tx: (work: (tx: Tx) => Promise<unknown>) => work(db as never) }
  const signedUrls = { verify: () => 'ok' }
  const kernel = {
    db,
    signedUrls,
    clock: { nowSeconds: () => 0 },
    settings: {},
    objects: { multipart: { parts: { kind: 'received' } } },
  } as never
  // Nothing is found.
  await run(db as never, kernel).catch(() => {})
  return statements
}

const caller = {
  principal: { id: owner, tenant_id: tenant } as never,
  grants: () => Promise.resolve(new Set<string>()),
}
const signal = new AbortController().signal
const unused = { kernel: { settings: { 'uploads.processing_lease_seconds': 60 } } } as never
const address = { query: {}, request: { method: 'GET', headers: {} } }
const listed = (query: object) =>
  sent(async (db, kernel) => {
    const all = uploadRoutes({ kernel } as never)
    const grants = async () => new Set(['uploads.uploads.read_any'])
    const cursors = { start: () => ({ after: null, limit: 20, fetch: 21 }) }
    const context = {
      ...caller,
      grants,
      tx: db,
      query,
      request: address.request,
      list: { cursors },
    }
    await all.find(one => one.name === 'listUploads')?.handle?.(context as never)
  })

test.each<[string, () => Promise<Sql[]> | Sql[]]>([
  ['an upload', () => sent(db => findUpload(db, caller, id, null))],
  ['open uploads of a person', () => listed({})],
  ['open uploads of a tenant', () => listed({ scope: 'tenant' })],
  [
    'the upload of a part',
    () =>
      sent((db, kernel) =>
        receivePart(
          db,
          { kernel } as never,
          {
            ...(address as object),
            upload_id: id,
            part_number: 1,
          } as never,
        ),
      ),
  ],
  [
    'the file of a download',
    () =>
      sent((db, kernel) =>
        serveFile(
          db,
          { kernel } as never,
          {
            ...(address as object),
            file_id: id,
            variant: 'original',
          } as never,
        ),
      ),
  ],
  [
    'files to read',
    () => sent(db => readable(db, { readers: new Map() }, caller, [id], 'uploads.files.read_any')),
  ],
  ['what has expired', () => sent(db => expireUploads(db, () => {}))],
  ['parts that are left', () => sent((_db, kernel) => removeParts(kernel, unused))],
  ['bytes to remove', () => sent((_db, kernel) => purgeFiles(kernel, unused))],
  ['all files in order', () => sent((_db, kernel) => missingObjects(kernel, signal))],
  ['a content', () => sent(db => blockHash(db, Buffer.alloc(32), { actor: 'x', reason: 'x' }))],
  ['what is to be verified', () => [claimStatement(verificationQueue(unused), newId(), 2)]],
  ['what is to be processed', () => [claimStatement(processingQueue(unused), newId(), 4)]],
])('%s', async (_name, statementsOf) => {
  const statements = await statementsOf()
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) {
    const { text, values } = compile(statement)
    await client.query('begin')
    const explained = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>({
      text: `explain (format json) ${text}`,
      values,
    })
    await client.query('rollback')
    const plan = explained.rows[0]?.['QUERY PLAN'][0]?.Plan
    const scanned = plan ? [...nodes(plan)].filter(one => one['Node Type'] === 'Seq Scan') : []
    const large = scanned.filter(one => /^(uploads|files)$/.test(one['Relation Name'] ?? ''))
    expect(large, text).toEqual([])
  }
})
