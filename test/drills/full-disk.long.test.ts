/**
 * The disk of the database is full: writes get 503, and once there is space again everything goes on
 * without anybody's help. Nothing that was confirmed is missing.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  newInstallation,
  query,
  tellerOf,
  type Installation,
} from '../../src/cli/test/installation.ts'
import { eventually } from '../world.ts'
import { startTransfers } from './transfers.ts'

/** A disk of its own needs root. */
describe.skipIf(process.getuid?.() !== 0)('a full disk', () => {
  let place: Installation
  let data: string
  beforeAll(() => {
    place = newInstallation()
    data = place.data('data')
    mkdirSync(data)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'none', data])
    chmodSync(data, 0o755)
  })
  afterAll(async () => {
    // PostgreSQL ends before its disk.
    await place.close().catch(() => {})
    execFileSync('umount', ['--lazy', data])
    await rm(place.folder, { recursive: true, force: true })
  })

  test('refuses writes until there is space again, and loses nothing', async () => {
    const platform = await place.platform(data)
    const transfers = await startTransfers(platform.url, await tellerOf(data))
    await transfers.more(50)
    const filler = join(data, 'filler')
    const piece = Buffer.alloc(1024 * 1024)
    const fill = async () => {
      for (const size of [piece.length, 4096, 1]) {
        while (await grows(filler, piece.subarray(0, size)));
      }
    }
    // What PostgreSQL gives back is taken too.
    await eventually('a write is refused', async () => {
      await fill()
      return transfers.refused.has(503)
    })
    const full = await place.run(data, ['doctor', '--json'])
    expect(full.code).not.toBe(0)
    await rm(filler)
    await transfers.more(50)
    await transfers.stop()
    expect([...transfers.refused]).toEqual([503])
    const [row] = await query<{ n: number }>(
      data,
      'select count(*)::int as n from book.transfers where id = any($1::uuid[])',
      [transfers.confirmed],
    )
    expect(row?.n).toBe(transfers.confirmed.length)
    await platform.kill('SIGTERM')
  }, 300_000)
})

async function grows(file: string, bytes: Buffer): Promise<boolean> {
  return await writeFile(file, bytes, { flag: 'a' }).then(
    () => true,
    () => false,
  )
}
