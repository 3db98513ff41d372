/** The local engine: the contract, and what only files can go through. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openLocalObjects } from '../local.ts'
import { PartSizeDiffers, type Objects } from '../objects.ts'
import { contractOf, newKey, read, sha256, streamOf } from './contract.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map(one => rm(one, { recursive: true, force: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-objects-'))
  folders.push(folder)
  return folder
}

const open = (folder: string): Objects => openLocalObjects(folder, () => undefined)
const shared = open(await newFolder())

describe('the contract of objects, by local', () => {
  contractOf(() => shared)
})

const receiveOf = ({ multipart: { parts } }: Objects) => {
  if (parts.kind !== 'received') throw new Error('the local engine receives parts')
  return parts.receive
}

test.concurrent(
  'a writer that is killed leaves no object; its draft is removed once it is old',
  async () => {
    const folder = await newFolder()
    const drafts = () => readdir(join(folder, 'spool/tmp'))
    // The walk over what is stored removes drafts as well.
    const sweep = async () => {
      for await (const _ of open(folder).multipart.list());
    }
    const key = newKey()
    const file = join(import.meta.dirname, 'writer.child.ts')
    const child = spawn(process.execPath, [file, folder, key], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const [left = ''] = await drafts()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await open(folder).get(key)).toBeUndefined()

    await sweep()
    expect(await drafts()).toEqual([left])
    const long_ago = new Date('2020-01-01')
    await utimes(join(folder, 'spool/tmp', left), long_ago, long_ago)
    await sweep()
    expect(await drafts()).toEqual([])
  },
)

test.concurrent(
  'the version changes with the bytes, also where their time is set back',
  async () => {
    const folder = await newFolder()
    const objects = open(folder)
    const key = newKey()
    const { version } = await objects.put(key, Buffer.from('good'))
    const path = join(folder, 'objects', key)
    const then = new Date('2026-01-01')
    await writeFile(path, 'evil')
    await utimes(path, then, then)
    expect((await objects.head(key))?.version).not.toBe(version)
  },
)

test.concurrent('a part has exactly its size, or there is none', async () => {
  const folder = await newFolder()
  const objects = open(folder)
  const reference = await objects.multipart.begin(newKey())
  const receive = receiveOf(objects)
  for (const sizes of [[5, 6], [9], [5_000_000]]) {
    const body = streamOf(sizes.map(size => randomBytes(size)))
    await expect(receive(reference, 1, body, 10)).rejects.toThrow(PartSizeDiffers)
  }
  expect(await readdir(join(folder, 'spool/parts', reference))).toEqual([])
  expect(await readdir(join(folder, 'spool/tmp'))).toEqual([])
})

test.concurrent('of two that send one part at once, each has a file of its own', async () => {
  const folder = await newFolder()
  const objects = open(folder)
  const key = newKey()
  const reference = await objects.multipart.begin(key)
  const receive = receiveOf(objects)
  const contents = ['a', 'b'].map(letter => Buffer.alloc(3_000_000, letter))
  const parts = await Promise.all(
    contents.map(bytes =>
      receive(reference, 1, streamOf([bytes.subarray(0, 9), bytes.subarray(9)]), bytes.length),
    ),
  )
  expect(parts.map(part => part.sha256)).toEqual(contents.map(sha256))
  await objects.multipart.complete(
    { key, reference },
    parts.slice(1),
    sha256(contents[1] ?? Buffer.alloc(0)),
  )
  expect((await read(objects, key))?.equals(contents[1] ?? Buffer.alloc(0))).toBe(true)
})

test.concurrent('what is large is assembled in a thread, with the same result', async () => {
  const objects = open(await newFolder())
  const key = newKey()
  const reference = await objects.multipart.begin(key)
  const receive = receiveOf(objects)
  const bytes = randomBytes(3 * 12_000_001)
  const pieces = [0, 1, 2].map(n => bytes.subarray(n * 12_000_001, (n + 1) * 12_000_001))
  const parts = await Promise.all(
    pieces.map((piece, index) => receive(reference, index + 1, streamOf([piece]), piece.length)),
  )
  const made = await objects.multipart.complete({ key, reference }, parts, sha256(bytes))
  expect(made.size).toBe(bytes.length)
  expect((await read(objects, key))?.equals(bytes)).toBe(true)
})
