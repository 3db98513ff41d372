/** An object is there as a whole or not at all, whatever ends the writer. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { openBlobs } from '../blobs.ts'

const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-blobs-'))
afterAll(() => rm(data_dir, { recursive: true, force: true }))
const blobs = openBlobs(data_dir)
const newKey = () => `jobs/${newId().slice(-2)}/${newId()}`

async function read(key: string): Promise<Buffer | undefined> {
  const found = await blobs.get(key)
  return found && (await buffer(found.body))
}

test('any content comes back as it went in, with its size and hash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 5 }),
      async parts => {
        const key = newKey()
        const whole = Buffer.concat(parts)
        const stored = await blobs.put(key, streamOf(parts))
        expect(stored.size).toBe(whole.length)
        expect(stored.sha256).toEqual(createHash('sha256').update(whole).digest())
        const found = await blobs.get(key)
        expect(found?.size).toBe(whole.length)
        expect(found && (await buffer(found.body))).toEqual(whole)
      },
    ),
    { numRuns: 30 },
  )
})

test('a whole buffer does too', async () => {
  const key = newKey()
  await blobs.put(key, Buffer.from('bytes'))
  expect(await read(key)).toEqual(Buffer.from('bytes'))
})

test('what is not there is not found, and deleting is repeatable', async () => {
  const key = newKey()
  expect(await blobs.get(key)).toBeUndefined()
  await blobs.delete(key)
  await blobs.put(key, Buffer.from('x'))
  await blobs.delete(key)
  await blobs.delete(key)
  expect(await blobs.get(key)).toBeUndefined()
})

test('content that breaks off leaves nothing', async () => {
  const key = newKey()
  async function* broken() {
    yield Buffer.from('half of it')
    await Promise.reject(new Error('the sender has gone'))
  }
  await expect(blobs.put(key, broken())).rejects.toThrow('the sender has gone')
  expect(await blobs.get(key)).toBeUndefined()
  expect(await drafts()).toEqual([])
})

test('a writer that is killed leaves no object; its draft is removed once it is old', async () => {
  const key = newKey()
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'writer.child.ts'), data_dir, key],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(child.stdout, 'data')
  const [left] = await drafts()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await blobs.get(key)).toBeUndefined()

  await openBlobs(data_dir).put(newKey(), Buffer.from('x'))
  expect(await drafts()).toEqual([left])
  const long_ago = new Date('2020-01-01')
  await utimes(join(data_dir, 'spool', left ?? ''), long_ago, long_ago)
  await writeFile(join(data_dir, 'spool', 'of-somebody-else'), '')
  await utimes(join(data_dir, 'spool', 'of-somebody-else'), long_ago, long_ago)
  await openBlobs(data_dir).put(newKey(), Buffer.from('x'))
  expect(await readdir(join(data_dir, 'spool'))).toEqual(['of-somebody-else'])
})

test('no key leads out of the objects', async () => {
  await mkdir(join(data_dir, 'postgres'), { recursive: true })
  for (const key of [
    '../keys',
    'jobs/../../keys',
    '/etc/passwd',
    'jobs',
    'jobs//x',
    'jobs/a.b',
    '',
  ]) {
    await expect(blobs.put(key, Buffer.from('x'))).rejects.toThrow('not the key')
    await expect(blobs.get(key)).rejects.toThrow('not the key')
  }
  expect(existsSync(join(data_dir, 'keys'))).toBe(false)
})

async function drafts(): Promise<string[]> {
  return (await readdir(join(data_dir, 'spool'))).filter(name => name.startsWith('blob-'))
}

async function* streamOf(parts: readonly Uint8Array[]) {
  for (const part of parts) yield await Promise.resolve(part)
}
