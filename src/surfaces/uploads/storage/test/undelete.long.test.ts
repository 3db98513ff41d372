/** Objects that were deleted after the moment to which the database was restored, on Debian's Swift. */
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, StoreUnavailable } from '#dodeca/kernel'
import { startSwift, swiftIsInstalled, type Swift } from '../../../../../test/swift.ts'
import type { Inside } from '../../face.ts'
import { picture } from '../../processing/test/samples.ts'
import { openUploadWorld, sha256, type UploadWorld } from '../../test/upload-world.ts'

const operatorOf = ({ platform }: UploadWorld) => {
  const face = platform.opened['uploads']?.face as Inside
  return face.operator
}

describe.skipIf(!swiftIsInstalled)('deleted objects', () => {
  let swift: Swift
  let world: UploadWorld
  beforeAll(async () => {
    swift = await startSwift()
    const bucket = await swift.bucket('versions', { versions: true })
    world = await openUploadWorld({ ...bucket, UPLOADS_S3_REDIRECTS: 'false' })
  })
  afterAll(async () => {
    await world.close()
    await swift.close()
  })

  const keysOf = async (file_id: string) => {
    const rows = await world.platform.kernel.db.many(
      Type.Object({ storage_key: Type.String() }),
      sql`
        select storage_key from uploads.files where id = ${file_id}
        union all
        select storage_key from uploads.derivatives where file_id = ${file_id}`,
    )
    return rows.map(one => one.storage_key)
  }

  test('come back where a row names them, with what was made of them, and nowhere else', async () => {
    const who = await world.member()
    const order = { purpose: 'avatar', media_category: 'image' }
    const bytes = await picture(200, 100)
    const { file_id } = await world.store(who, bytes, order)
    const gone = await world.store(who, randomBytes(80))
    const { objects } = world.platform.kernel
    const [restored, unnamed] = [await keysOf(file_id), await keysOf(gone.file_id)]
    expect(restored.length).toBeGreaterThan(1)
    for (const key of [...restored, ...unnamed]) await objects.delete(key)
    // As after a deletion that the restored database has, too.
    await world.platform.kernel.db.run(
      sql`update uploads.files set state = 'deleted', deleted_at = now() where id = ${gone.file_id}`,
    )
    const operator = operatorOf(world)
    expect(await operator.undelete()).toEqual({ undeleted: restored.length, missing: 0 })
    expect(await operator.undelete()).toEqual({ undeleted: 0, missing: 0 })
    const { url } = (await world.url(who, file_id)).body
    const served = await world.fetch(url)
    expect(sha256(Buffer.from(await served.arrayBuffer()))).toBe(
      (await world.file(who, file_id)).body.checksum,
    )
    for (const key of restored) expect(await objects.head(key)).toBeDefined()
    for (const key of unnamed) expect(await objects.head(key)).toBeUndefined()
  })

  test('a folder keeps none of them, and says so', async () => {
    const local = await openUploadWorld()
    await expect(operatorOf(local).undelete()).rejects.toThrow(StoreUnavailable)
    await local.close()
  })
})
