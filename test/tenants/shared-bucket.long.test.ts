/**
 * Two cells that share one S3 bucket: none removes what the other one uses, and the files of a tenant
 * are deleted with its last cell.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { deleteTenant } from '../../src/runtime/tenants/delete.ts'
import { exportTenant } from '../../src/runtime/tenants/export.ts'
import { importTenant } from '../../src/runtime/tenants/import.ts'
import { moveTenant } from '../../src/runtime/tenants/move.ts'
import type { Inside } from '../../src/surfaces/uploads/face.ts'
import type { Member } from '../product-world.ts'
import { startSwift, swiftIsInstalled, type Swift } from '../swift.ts'
import { eventually } from '../world.ts'
import { download, openCells, upload, type Cell } from './cells.ts'

describe.skipIf(!swiftIsInstalled)('cells with one bucket', () => {
  let swift: Swift
  let one: Cell
  let other: Cell
  let scratch: string
  beforeAll(async () => {
    swift = await startSwift()
    scratch = await mkdtemp(join(tmpdir(), 'dodeca-cells-'))
    const settings = { ...(await swift.bucket('cells')), UPLOADS_ORPHAN_SECONDS: '1' }
    ;[one, other] = await openCells(settings)
  })
  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    await swift.close()
    await rm(scratch, { recursive: true, force: true })
  })

  async function fileOf(who: Member) {
    const bytes = randomBytes(100)
    const file_id = await upload(one, who, bytes)
    await eventually('the file can be read', async () => {
      return (await download(one, who, file_id))?.equals(bytes) ?? false
    })
    const { storage_key } = await one.platform.kernel.db.one(
      Type.Object({ storage_key: Type.String() }),
      sql`
        select storage_key from uploads.files
        where tenant_id = ${who.tenant.id} and id = ${file_id}`,
    )
    return storage_key
  }

  const exists = async (key: string) => (await one.platform.kernel.objects.head(key)) !== undefined

  const disable = (cell: Cell, { tenant }: Member) =>
    cell.platform.kernel.db.run(sql`
      update identity.tenants set state = 'disabled' where id = ${tenant.id}`)

  const reconcile = async (cell: Cell) => {
    const uploads = cell.platform.opened['uploads']?.face as Inside
    return await uploads.operator.reconcile({ remove: true, signal: new AbortController().signal })
  }

  test('an imported tenant keeps its files until the last cell deletes it', async () => {
    const who = await one.member()
    const key = await fileOf(who)
    const folder = join(scratch, 'export')
    await exportTenant(one.place, who.tenant.slug, folder)
    await importTenant(other.place, folder)
    await disable(one, who)
    const first = await deleteTenant(one.place, who.tenant.slug)
    expect([first.objects, first.objects_kept > 0, await exists(key)]).toEqual([0, true, true])
    await disable(other, who)
    const last = await deleteTenant(other.place, who.tenant.slug)
    expect([last.objects > 0, last.objects_kept, await exists(key)]).toEqual([true, 0, false])
  })

  test('a test import that is deleted again leaves the files to the first cell', async () => {
    const who = await one.member()
    const key = await fileOf(who)
    const folder = join(scratch, 'trial')
    await exportTenant(one.place, who.tenant.slug, folder)
    await importTenant(other.place, folder)
    await disable(other, who)
    await deleteTenant(other.place, who.tenant.slug)
    expect(await exists(key)).toBe(true)
    await disable(one, who)
    await deleteTenant(one.place, who.tenant.slug)
    expect(await exists(key)).toBe(false)
  })

  test('a tenant that moved there and back is deleted with its files', async () => {
    const who = await one.member()
    const key = await fileOf(who)
    const { slug } = who.tenant
    await moveTenant({ from: one.place, to: other.place, cell_url: other.url, scratch }, slug)
    await moveTenant({ from: other.place, to: one.place, cell_url: one.url, scratch }, slug)
    expect(await exists(key)).toBe(true)
    await disable(one, who)
    const { objects_kept } = await deleteTenant(one.place, slug)
    expect([objects_kept, await exists(key)]).toEqual([0, false])
  })

  test('no cell removes objects that it does not know', async () => {
    const who = await one.member()
    const key = await fileOf(who)
    await reconcile(one)
    await eventually('the object is old enough to be removed', async () => {
      const { objects, shared } = await reconcile(other)
      return objects > 0 && shared
    })
    expect(await exists(key)).toBe(true)
  })
})
