/**
 * The contract of every engine, tested on the local one and, where Debian's Swift is installed, on
 * S3.
 */
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import {
  ChecksumDiffers,
  PartMissing,
  type Objects,
  type Place,
  type StoredPart,
} from '../objects.ts'

export const newKey = () => `test/${newId().slice(-2)}/${newId()}`
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

export async function read(objects: Objects, key: string): Promise<Buffer | undefined> {
  const found = await objects.get(key)
  return found && (await buffer(found.body))
}

/** As a client of this engine sends a part. */
export async function sendPart(
  objects: Objects,
  place: Place,
  part_number: number,
  bytes: Buffer,
): Promise<StoredPart> {
  const { parts } = objects.multipart
  if (parts.kind === 'received') {
    return await parts.receive(place.reference, part_number, streamOf([bytes]), bytes.length)
  }
  const url = await parts.presign(place, part_number, bytes.length, 60)
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
  expect(answer.status, await answer.text()).toBe(200)
  return {
    part_number,
    name: answer.headers.get('etag') ?? '',
    size: bytes.length,
    sha256: null,
  }
}

export async function* streamOf(pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece))
}

async function begun(objects: Objects): Promise<Place> {
  const key = newKey()
  return { key, reference: await objects.multipart.begin(key) }
}

export function contractOf(given: () => Objects): void {
  contentContract(given)
  keyContract(given)
  multipartContract(given)
  openUploadContract(given)
}

function contentContract(given: () => Objects): void {
  test.concurrent('any content comes back as it went in, with its size and digest', async () => {
    const objects = given()
    const contents = [[], [1], [700_000, 5, 700_000], [3_000_000]].map(sizes =>
      sizes.map(size => randomBytes(size)),
    )
    for (const pieces of contents) {
      const whole = Buffer.concat(pieces)
      const key = newKey()
      const stored = await objects.put(key, streamOf(pieces))
      expect(stored).toEqual({
        size: whole.length,
        sha256: sha256(whole),
        version: expect.any(String),
      })
      const found = await objects.get(key)
      expect([found?.size, found?.version]).toEqual([whole.length, stored.version])
      expect(found && (await buffer(found.body)).equals(whole)).toBe(true)
      expect(await objects.head(key)).toEqual({ size: whole.length, version: stored.version })
    }
  })

  test.concurrent(
    'a range is both its ends and what lies between; the size is the whole',
    async () => {
      const objects = given()
      const key = newKey()
      await objects.put(key, Buffer.from('0123456789'))
      const found = await objects.get(key, { start: 2, end: 4 })
      expect(found?.size).toBe(10)
      expect(found && String(await buffer(found.body))).toBe('234')
    },
  )

  test.concurrent('what is not there is not found, and deleting is repeatable', async () => {
    const objects = given()
    const key = newKey()
    expect(await objects.get(key)).toBeUndefined()
    expect(await objects.head(key)).toBeUndefined()
    await objects.delete(key)
    await objects.put(key, Buffer.from('x'))
    await objects.delete(key)
    await objects.delete(key)
    expect(await objects.get(key)).toBeUndefined()
  })

  test.concurrent('content that breaks off leaves nothing', async () => {
    const objects = given()
    const key = newKey()
    async function* broken() {
      yield Buffer.from('half of it')
      await Promise.reject(new Error('the sender has gone'))
    }
    await expect(objects.put(key, broken())).rejects.toThrow('the sender has gone')
    expect(await objects.get(key)).toBeUndefined()
  })
}

function keyContract(given: () => Objects): void {
  test.concurrent('a list names what lies below its prefix, and nothing beside it', async () => {
    const objects = given()
    const base = `list-${newId()}`
    for (const name of ['2026/1/a', '2026/1/b', '2026/11/c'])
      await objects.put(`${base}/${name}`, Buffer.from('x'))
    const keysOf = async (prefix: string) => {
      const keys: string[] = []
      for await (const { key, size, modified_ms } of objects.list(prefix)) {
        expect(size).toBe(1)
        expect(modified_ms).toBeGreaterThan(Date.now() - 600_000)
        keys.push(key)
      }
      return keys.sort()
    }
    expect(await keysOf(`${base}/2026/1`)).toEqual([`${base}/2026/1/a`, `${base}/2026/1/b`])
    expect(await keysOf(base)).toHaveLength(3)
    expect(await keysOf('list-none')).toEqual([])
  })

  test.concurrent('no key leads out of the objects', async () => {
    const objects = given()
    for (const key of ['../keys', 'a/../../keys', '/etc/passwd', 'a', 'a//x', 'a/b.c', '']) {
      await expect(objects.put(key, Buffer.from('x'))).rejects.toThrow('not a valid object key')
      await expect(objects.get(key)).rejects.toThrow('not a valid object key')
    }
  })
}

function multipartContract(given: () => Objects): void {
  test.concurrent(
    'parts in any order become one object, and completing it again changes nothing',
    async () => {
      const objects = given()
      const place = await begun(objects)
      const contents = [5_300_000, 5_300_000, 77].map(size => randomBytes(size))
      const parts: StoredPart[] = []
      for (const index of [2, 0, 1])
        parts[index] = await sendPart(objects, place, index + 1, contents[index] ?? Buffer.alloc(0))
      const whole = Buffer.concat(contents)
      const made = await objects.multipart.complete(place, parts, sha256(whole))
      expect(made).toMatchObject({ size: whole.length, sha256: sha256(whole) })
      expect((await read(objects, place.key))?.equals(whole)).toBe(true)
      const again = await objects.multipart.complete(place, parts, sha256(whole))
      expect(again).toMatchObject({ size: whole.length, sha256: sha256(whole) })
      await objects.multipart.abort(place)
      expect((await read(objects, place.key))?.equals(whole)).toBe(true)
    },
  )

  test.concurrent(
    'one part is an object too, and completing it again changes nothing',
    async () => {
      const objects = given()
      const place = await begun(objects)
      const bytes = randomBytes(1000)
      const parts = [await sendPart(objects, place, 1, bytes)]
      for (let time = 0; time < 2; time++) {
        const made = await objects.multipart.complete(place, parts, sha256(bytes))
        expect(made).toMatchObject({ size: 1000, sha256: sha256(bytes) })
      }
      expect((await read(objects, place.key))?.equals(bytes)).toBe(true)
    },
  )

  test.concurrent('another digest is refused with the one that was found', async () => {
    const objects = given()
    for (const sizes of [[10], [6_000_000, 10]]) {
      const place = await begun(objects)
      const contents = sizes.map(size => randomBytes(size))
      const parts: StoredPart[] = []
      for (const [index, bytes] of contents.entries())
        parts.push(await sendPart(objects, place, index + 1, bytes))
      const error = await objects.multipart
        .complete(place, parts, sha256(Buffer.from('other')))
        .catch((error_: unknown) => error_)
      expect(error).toBeInstanceOf(ChecksumDiffers)
      expect((error as ChecksumDiffers).sha256).toEqual(sha256(Buffer.concat(contents)))
    }
  })
}

function openUploadContract(given: () => Objects): void {
  test.concurrent('a part that was aborted is missing', async () => {
    const objects = given()
    const place = await begun(objects)
    const bytes = randomBytes(100)
    const parts = [await sendPart(objects, place, 1, bytes)]
    await objects.multipart.abort(place)
    await objects.multipart.abort(place)
    await expect(objects.multipart.complete(place, parts, sha256(bytes))).rejects.toThrow()
    expect(await objects.get(place.key)).toBeUndefined()
    const { parts: kind } = objects.multipart
    const late = kind.kind === 'presigned' ? kind.list(place) : sendPart(objects, place, 2, bytes)
    await expect(late).rejects.toThrow(PartMissing)
  })

  test.concurrent('uploads that are open are listed, by reference', async () => {
    const objects = given()
    const place = await begun(objects)
    await sendPart(objects, place, 1, randomBytes(10))
    const found: { reference: string; begun_ms: number }[] = []
    for await (const one of objects.multipart.list()) found.push(one)
    const mine = found.find(({ reference }) => reference === place.reference)
    expect(mine?.begun_ms).toBeGreaterThan(Date.now() - 600_000)
  })
}
