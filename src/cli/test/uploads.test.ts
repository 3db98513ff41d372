/** Uploads on the command line, beside a running platform. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/world.ts'
import { openUploadWorld, type UploadWorld } from '../../surfaces/uploads/test/upload-world.ts'
import { commandsWith } from './in-process.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld({})
})
afterAll(() => world.close())

const uploadsIn =
  ({ environment }: UploadWorld) =>
  (...args: string[]) =>
    commandsWith(environment).json(['uploads', ...args])

test('what no row names is counted, and removed where that is asked', async () => {
  // Without workers, because their first sweep would remove it too.
  const idle = await openUploadWorld({ ROLES: 'api' })
  onTestFinished(() => idle.close())
  const json = uploadsIn(idle)
  const orphan = join(idle.data_dir, 'objects/o/2026/01/01/orphan-of-no-upload-1')
  await mkdir(dirname(orphan), { recursive: true })
  await writeFile(orphan, 'x')
  const old = new Date('2026-01-01')
  await utimes(orphan, old, old)
  expect(await json('reconcile')).toEqual({
    remove: false,
    objects: 1,
    uploads: 0,
    missing: 0,
    quarantined: 0,
    shared: false,
  })
  expect(await readdir(dirname(orphan))).toHaveLength(1)
  expect(await json('reconcile', '--remove')).toMatchObject({ remove: true, objects: 1 })
  expect(await json('reconcile')).toMatchObject({ objects: 0 })
})

test('an empty store is named, and taken as it is only where that is asked', async () => {
  const own = await openUploadWorld({})
  onTestFinished(() => own.close())
  await own.store(await own.member(), randomBytes(50))
  await rm(join(own.data_dir, 'objects'), { recursive: true })
  const { code, err } = await commandsWith(own.environment).run(['uploads', 'reconcile'])
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('has none of the files of this database'),
  ])
  expect(await uploadsIn(own)('reconcile', '--remove', '--accept-loss')).toMatchObject({
    missing: 1,
    quarantined: 1,
  })
})

test('a content is blocked, listed and accepted again', async () => {
  const json = uploadsIn(world)
  const who = await world.member()
  const { file_id, file } = await world.store(who, randomBytes(50))
  const sha256 = file.checksum.slice(7)
  expect(await json('block', file.checksum, '--reason=stolen')).toEqual({ sha256, files: 1 })
  await eventually('the file is in quarantine', async () => {
    const { body } = await world.file(who, file_id)
    return body.error_code === 'malware_detected'
  })
  expect((await json('blocked')).data).toMatchObject([{ sha256, reason: 'stolen' }])
  expect(await json('unblock', sha256)).toEqual({ sha256 })
  expect((await json('blocked')).data).toEqual([])
})
