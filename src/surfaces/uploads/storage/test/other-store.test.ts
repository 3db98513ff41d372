/**
 * A store that is not the one of this database: a volume that is not mounted, an empty folder, or one
 * that is only half restored. No file counts as lost there, and nothing is removed.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../../settings.ts'
import { sql } from '#dodeca/kernel'
import { composition } from '../../../../platform.ts'
import { start } from '../../../../runtime/start.ts'
import { call, eventually } from '../../../../../test/world.ts'
import type { Inside } from '../../face.ts'
import { openUploadWorld, type Stored, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld({})
})
afterAll(() => world.close())

const objects = () => join(world.data_dir, 'objects')

function reconcile(accept_loss = false) {
  const face = world.platform.opened['uploads']?.face as Inside
  const { signal } = new AbortController()
  return face.operator.reconcile({ remove: true, accept_loss, signal })
}

async function storedFiles(count: number) {
  const who = await world.member()
  const files = await Promise.all(
    Array.from({ length: count }, () => world.store(who, randomBytes(50))),
  )
  return { who, files }
}

async function pathOf({ file_id }: Stored): Promise<string> {
  const { storage_key } = await world.platform.kernel.db.one(
    Type.Object({ storage_key: Type.String() }),
    sql`select storage_key from uploads.files where id = ${file_id}`,
  )
  return join(objects(), storage_key)
}

async function states(): Promise<Record<string, number>> {
  const rows = await world.platform.kernel.db.many(
    Type.Object({ state: Type.String(), files: Type.Integer() }),
    sql`select state, count(*)::int as files from uploads.files group by state`,
  )
  return Object.fromEntries(rows.map(({ state, files }) => [state, files]))
}

/** One more process, such as one that was started again. */
async function startBeside() {
  const settings = { ...world.environment, DATA_DIR: world.data_dir, ROLES: 'api' }
  const beside = await start(loadConfig({}, settings), () => {}, composition)
  onTestFinished(() => beside.stop())
  return `http://127.0.0.1:${beside.port}`
}

test('while the folder of the objects is empty, no file is lost; when it is back, all are served', async () => {
  const { who, files } = await storedFiles(2)
  const [file_id = ''] = files.map(file => file.file_id)
  const { url } = (await world.url(who, file_id)).body
  await rename(objects(), `${objects()}.away`)
  await mkdir(objects())
  await expect(reconcile()).rejects.toMatchObject({
    name: 'ForeignStore',
    message: expect.stringContaining('Mount the volume'),
  })
  const download = await world.fetch(url)
  const problem = (await download.json()) as { code: string }
  expect([download.status, problem.code]).toEqual([503, 'storage_unavailable'])
  await world.platform.kernel.db.run(sql`
    update uploads.files set stage = 'detect', due_at = kernel.now() where id = ${file_id}`)
  await eventually('its scan is put off', async () => {
    const { rows } = await world.platform.kernel.db.one(
      Type.Object({ rows: Type.Integer() }),
      sql`
        select count(*)::int as rows from uploads.files
        where id = ${file_id} and last_error_code = 'storage_unavailable'`,
    )
    return rows === 1
  })
  expect(await states()).toEqual({ available: 2 })

  const beside = await startBeside()
  const ready = await call(beside, 'GET', '/readyz')
  expect([ready.status, ready.body.checks.object_store]).toEqual([503, false])
  const begin = { expected_size: 1, media_category: 'any', purpose: 'generic' }
  const refused = await call(beside, 'POST', '/v1/uploads', { token: who.token, body: begin })
  expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable'])
  const metrics = await call(beside, 'GET', '/metrics')
  expect(metrics.text).toMatch(/^uploads_store_unknown 1$/m)
  // The process that had found its store goes on with everything else.
  expect((await world.call('GET', '/readyz')).status).toBe(200)

  await rm(objects(), { recursive: true })
  await rename(`${objects()}.away`, objects())
  expect(await reconcile()).toMatchObject({ missing: 0 })
  expect((await world.fetch(url)).status).toBe(200)
  await eventually('the other process is ready', async () => {
    return (await call(beside, 'GET', '/readyz')).status === 200
  })
})

test('a deleted file keeps its bytes in the own store until they can be removed there', async () => {
  const { who, files } = await storedFiles(1)
  const [file] = files as [Stored]
  const path = await pathOf(file)
  await rename(objects(), `${objects()}.away`)
  await mkdir(objects())
  await world.call('DELETE', `/v1/files/${file.file_id}`, { token: who.token })
  const left = () =>
    world.platform.kernel.db.one(
      Type.Object({ reserved_bytes: Type.Integer() }),
      sql`select reserved_bytes::int from uploads.files where id = ${file.file_id}`,
    )
  await world.platform.kernel.db.run(sql`
    update uploads.files set retention_until = kernel.now() where id = ${file.file_id}`)
  const { registry } = world.platform.kernel.metrics
  await eventually('a sweep has looked', async () => {
    const metric = await registry.getSingleMetricAsString('uploads_store_unknown')
    return metric.endsWith(' 1')
  })
  expect((await left()).reserved_bytes).toBe(50)
  await rm(objects(), { recursive: true })
  await rename(`${objects()}.away`, objects())
  await eventually('its bytes are gone', async () => (await left()).reserved_bytes === 0)
  expect(await readdir(dirname(path))).not.toContain(path.split('/').at(-1))
})

test('a store from before the mark is known by one of its files, and marked', async () => {
  await storedFiles(1)
  await rm(join(objects(), 'cells'), { recursive: true })
  expect(await reconcile()).toMatchObject({ missing: 0 })
  expect(await readdir(join(objects(), 'cells'))).toHaveLength(1)
})

test('where another cell has left its mark, what no row names stays', async () => {
  const orphan = join(objects(), 'o/2026/01/01/an-orphan-of-another-cell')
  const mark = join(objects(), 'cells/another')
  await mkdir(dirname(orphan), { recursive: true })
  const old = new Date('2026-01-01')
  for (const path of [orphan, mark]) await writeFile(path, 'x')
  await utimes(orphan, old, old)
  expect(await reconcile()).toMatchObject({ objects: 1, shared: true })
  await rm(mark)
  expect(await reconcile()).toMatchObject({ objects: 1, shared: false })
  expect(await reconcile()).toMatchObject({ objects: 0 })
})

test('what another program has left in the folders is passed over', async () => {
  const old = new Date('2026-01-01')
  const names = ['objects/o/2026/01/01/.object.a1B2c3', 'objects/o/.DS_Store']
  for (const path of names.map(name => join(world.data_dir, name))) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'x')
    await utimes(path, old, old)
  }
  await mkdir(join(world.data_dir, 'spool/parts/lost+found'), { recursive: true })
  await utimes(join(world.data_dir, 'spool/parts/lost+found'), old, old)
  expect(await reconcile()).toMatchObject({ objects: 0, uploads: 0, missing: 0 })
})

test('many missing files are quarantined only if an operator accepts the loss', async () => {
  const { files } = await storedFiles(11)
  for (const file of files) await rm(await pathOf(file))
  const before = await states()
  expect(await reconcile()).toMatchObject({ missing: 11, quarantined: 0 })
  expect(await states()).toEqual(before)
  expect(await reconcile(true)).toMatchObject({ missing: 11, quarantined: 11 })
  expect((await states())['quarantined']).toBe(11)
  expect(await reconcile()).toMatchObject({ missing: 0 })
})

test('an operator can give up a store, and begin with an empty one', async () => {
  await rm(objects(), { recursive: true })
  await expect(reconcile()).rejects.toMatchObject({ name: 'ForeignStore' })
  expect((await reconcile(true)).quarantined).toBeGreaterThan(0)
  expect(await reconcile()).toMatchObject({ missing: 0 })
})
