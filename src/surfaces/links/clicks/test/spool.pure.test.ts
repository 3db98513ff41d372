/** The spool: what is in it outlives its process, what was stored leaves, and its limit holds. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { BatchBuilder, type Batch } from '../batch.ts'
import { toFrame } from '../frames.ts'
import { openSpool, type Spool } from '../spool.ts'

const clicked = { domain_id: newId(), code: 'abc' }

function batch(): Batch {
  const builder = new BatchBuilder()
  builder.add(clicked, '{"bot":false}', 1)
  return builder.build(newId())
}

const frame_bytes = toFrame(batch()).length

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-spool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const open = (folder: string, more: { bytes_max?: number; segment_bytes?: number } = {}): Spool =>
  openSpool({ folder, node_id: newId(), bytes_max: 1e6, ...more })

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async name => (await stat(join(folder, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('gives back what it was given, and is empty when all of it was stored', async () => {
  const folder = await newFolder()
  const spool = open(folder)
  const batches = Array.from({ length: 20 }, batch)
  const places = batches.map(one => spool.append(one))
  expect([await bytesIn(folder), spool.bytes()]).toEqual([20 * frame_bytes, 20 * frame_bytes])
  for (const [at, place] of places.entries()) {
    expect(place?.segment.batchAt(place)).toEqual(batches[at])
  }
  for (const place of places.toReversed()) if (place) spool.stored(place)
  expect([await bytesIn(folder), spool.bytes()]).toEqual([0, 0])
  const again = spool.append(batch())
  expect(again?.at).toBe(0)
  if (again) spool.stored(again)
  spool.close()
  expect(await readdir(folder)).toEqual([])
})

test('begins a new file where one is full, and forgets each by itself', async () => {
  const folder = await newFolder()
  const spool = open(folder, { segment_bytes: 2 * frame_bytes })
  const places = []
  for (let at = 0; at < 5; at++) places.push(spool.append(batch()))
  expect(await readdir(folder)).toHaveLength(3)
  for (const place of places.slice(0, 2)) if (place) spool.stored(place)
  expect(await readdir(folder)).toHaveLength(2)
  spool.close()
  expect(await readdir(folder)).toHaveLength(2)
})

test('takes no more than its limit, and more again when something was stored', async () => {
  const spool = open(await newFolder(), { bytes_max: 2 * frame_bytes })
  const first = spool.append(batch())
  spool.append(batch())
  expect(spool.append(batch())).toBeNull()
  if (first) spool.stored(first)
  expect(spool.append(batch())).not.toBeNull()
  spool.close()
})

test('takes over what dead processes left, and nothing of the living', async () => {
  const folder = await newFolder()
  const [mine, left] = [batch(), batch()]
  const living = open(folder)
  living.append(mine)
  const host = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
  // No process has this number; half a frame is what a kill leaves.
  const dead_node = newId()
  const dead = `clicks-${host}-4194999-${newId()}-${dead_node}-1.log`
  const half = toFrame(batch()).subarray(0, 9)
  await writeFile(join(folder, dead), Buffer.concat([toFrame(left), half]))
  await writeFile(join(folder, `clicks-elsewhere-1-${newId()}-${newId()}-1.log`), toFrame(batch()))
  const other = open(folder)
  const [orphan, ...more] = await other.orphans(Date.now())
  // Null: the half frame counts as lost.
  expect([[...((await orphan?.batches()) ?? [])], more.length]).toEqual([[left, null], 0])
  expect(orphan?.node_id).toBe(dead_node)
  // An owner on another machine is dead when it has been silent for long.
  expect(await other.orphans(Date.now() + 3_600_000)).toHaveLength(2)
  await orphan?.remove()
  expect(await other.orphans(Date.now())).toEqual([])
  living.close()
})

test('finds nothing in a file that another process has stored and removed meanwhile', async () => {
  const folder = await newFolder()
  const host = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
  const dead = join(folder, `clicks-${host}-4194999-${newId()}-${newId()}-1.log`)
  await writeFile(dead, toFrame(batch()))
  const [one] = await open(folder).orphans(Date.now())
  const [other] = await open(folder).orphans(Date.now())
  await one?.remove()
  expect([...((await other?.batches()) ?? [])]).toEqual([])
  await other?.remove()
})

test('has a file before its first click, so that its death is noticed', async () => {
  const folder = await newFolder()
  const spool = open(folder)
  spool.prepare()
  spool.prepare()
  expect(await readdir(folder)).toHaveLength(1)
  spool.close()
  expect(await readdir(folder)).toEqual([])
})
