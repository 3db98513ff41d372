/** Positions and names of the log as PostgreSQL has them, and segments that vanish while they are copied. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { collectWal, parseLsn, segmentFile } from '../wal.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('a segment is named as PostgreSQL names it', async () => {
  const client = new pg.Client({ connectionString: inject('admin_url') })
  await client.connect()
  try {
    const { rows } = await client.query<{ bytes: string; here: string }>(
      `select setting as bytes, pg_walfile_name(pg_current_wal_lsn()) as here
       from pg_settings where name = 'wal_segment_size'`,
    )
    const bytes = BigInt(rows[0]?.bytes ?? 0)
    const timeline = Number.parseInt(rows[0]?.here.slice(0, 8) ?? '', 16)
    const nameOf = async (lsn: string) =>
      (await client.query<{ name: string }>('select pg_walfile_name($1) as name', [lsn])).rows[0]
        ?.name
    // On a boundary PostgreSQL names the segment before it, where the last byte was written.
    const inside = fc.bigInt(1n, 2n ** 56n).filter(position => position % bytes !== 0n)
    await fc.assert(
      fc.asyncProperty(inside, async position => {
        const lsn = `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`
        expect(parseLsn(lsn)).toBe(position)
        expect(segmentFile(timeline, position / bytes, bytes)).toBe(await nameOf(lsn))
      }),
      { numRuns: 200 },
    )
  } finally {
    await client.end()
  }
})

const segment_bytes = 1024n

function logWith(numbers: readonly number[]) {
  const root = mkdtempSync(join(tmpdir(), 'dodeca-wal-'))
  folders.push(root)
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  for (const folder of [from, to]) mkdirSync(folder)
  for (const number of numbers) fill(from, number)
  return { from, to, timeline: 1, segment_bytes }
}

function fill(from: string, number: number): void {
  const file = join(from, segmentFile(1, BigInt(number), segment_bytes))
  writeFileSync(file, String(number).padEnd(Number(segment_bytes)))
}

test('what was filled is taken before it is recycled, and the rest at the end', async () => {
  const log = logWith([3])
  let position = 3n * segment_bytes + 40n
  let looks = 0
  const collector = collectWal({
    ...log,
    start_lsn: position,
    current: () => {
      looks++
      return Promise.resolve(position)
    },
  })
  fill(log.from, 4)
  position = 4n * segment_bytes + 8n
  const third = join(log.to, segmentFile(1, 3n, segment_bytes))
  await expect.poll(() => existsSync(third)).toBe(true)
  // It looks again only when it has what it saw before.
  const seen = looks
  await expect.poll(() => looks).toBeGreaterThan(seen)
  expect(readFileSync(third, 'utf8').trim()).toBe('3')
  rmSync(join(log.from, segmentFile(1, 3n, segment_bytes)))
  const taken = await collector.finish(5n * segment_bytes)
  expect([...taken.keys()]).toEqual([3n, 4n].map(one => segmentFile(1, one, segment_bytes)))
})

test('a segment that is gone, or was cut, fails the backup', async () => {
  const gone = logWith([4])
  const start_lsn = 3n * segment_bytes + 1n
  const current = () => Promise.resolve(start_lsn)
  await expect(
    collectWal({ ...gone, start_lsn, current }).finish(5n * segment_bytes),
  ).rejects.toThrow(/recycled the log segment 00000001/)
  const cut = logWith([])
  writeFileSync(join(cut.from, segmentFile(1, 3n, segment_bytes)), 'short')
  await expect(
    collectWal({ ...cut, start_lsn, current }).finish(4n * segment_bytes),
  ).rejects.toThrow(/recycled the log segment/)
})
