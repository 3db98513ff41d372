/** The local engine: the contract, and what only files can go through. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  constants,
  mkdtemp,
  open as openFile,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
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

test.concurrent('the memory of a part is given back when its bytes are on the disk', async () => {
  const objects = open(await newFolder())
  const key = newKey()
  const reference = await objects.multipart.begin(key)
  const pieces = Array.from({ length: 40 }, () => randomBytes(64 * 1024))
  const whole = Buffer.concat(pieces)
  const waiting: number[] = []
  async function* body() {
    for (const [index, piece] of pieces.entries()) {
      waiting.push(pieces.slice(0, index).filter(({ byteLength }) => byteLength > 0).length)
      yield await Promise.resolve(piece)
    }
  }
  const part = await receiveOf(objects)(reference, 1, body(), whole.length)
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual(pieces.map(() => 0))
  // Two writes of 1 MiB: one runs while the next is collected.
  expect(Math.max(...waiting)).toBeLessThanOrEqual(32)
  await objects.multipart.complete({ key, reference }, [part], sha256(whole))
  expect((await read(objects, key))?.equals(whole)).toBe(true)
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

test.concurrent(
  'a disk that is full while parts are assembled does not end the process',
  async () => {
    const folder = await newFolder()
    const [part = '', slow = '', to = ''] = ['part', 'slow', 'object'].map(name =>
      join(folder, name),
    )
    await writeFile(part, randomBytes(64 * 1024))
    // The second part arrives only after the first one could not be written.
    await promisify(execFile)('mkfifo', [slow])
    const file = join(import.meta.dirname, 'assembler.child.ts')
    const command = [process.execPath, file, to, part, slow]
    const child = spawn('/bin/sh', ['-c', 'ulimit -f 1 && exec "$@"', 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {},
    })
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    const exited = once(child, 'exit')
    await eventually('the file reaches its limit', async () => {
      return ((await stat(to).catch(() => undefined))?.size ?? 0) > 0
    })
    // An unhandled rejection would end the process in the turn in which the write fails.
    const turns = said.length
    await eventually('the process lives on', () => said.length > turns + 10)
    const end = await openFile(slow, constants.O_WRONLY | constants.O_NONBLOCK).catch(
      () => undefined,
    )
    await end?.close()
    expect(await exited).toEqual([0, null])
    expect(said.replaceAll('.', '')).toBe('refused: EFBIG')
  },
)
