/**
 * The format of batches in a file: length, checksum, JSON. A process that dies while it writes
 * leaves half a frame at the end, and a damaged disk may change a frame or leave zeros. Such a frame
 * is passed over, as long as its length leads to another one.
 */
import { crc32 } from 'node:zlib'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Batch } from './batch.ts'

const head_bytes = 8
const frame_bytes_max = 64 * 1024 * 1024

const Numbers = Type.Array(Type.Integer({ minimum: 0 }))
const Stored = Type.Object({
  id: Type.String({ minLength: 36, maxLength: 36 }),
  links: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  contexts: Type.Array(Type.String()),
  link: Numbers,
  context: Numbers,
  at_ms: Numbers,
})
const stored = Compile(Stored)

export function toFrame(batch: Batch): Buffer {
  const text = JSON.stringify(batch)
  const body = Buffer.from(text)
  const frame = Buffer.allocUnsafe(head_bytes + body.length)
  frame.writeUInt32LE(body.length, 0)
  frame.writeUInt32LE(crc32(body), 4)
  body.copy(frame, head_bytes)
  return frame
}

export function fromFrame(frame: Buffer): Batch | null {
  if (frame.length < head_bytes) return null
  const length = frame.readUInt32LE(0)
  if (!isLength(length) || frame.length < head_bytes + length) return null
  const body = frame.subarray(head_bytes, head_bytes + length)
  if (crc32(body) !== frame.readUInt32LE(4)) return null
  const value: unknown = JSON.parse(body.toString())
  return stored.Check(value) ? value : null
}

/** The checksum of nothing is zero, so zeros would be a frame of nothing. */
function isLength(length: number): boolean {
  return length > 0 && length <= frame_bytes_max
}

/** All frames from the beginning. Null stands for one or more that cannot be read. */
export function* framesIn(bytes: Buffer): Generator<Batch | null, void> {
  let at = 0
  while (at < bytes.length) {
    const batch = fromFrame(bytes.subarray(at))
    yield batch
    const length = bytes.length - at < head_bytes ? 0 : bytes.readUInt32LE(at)
    if (!isLength(length)) return
    at += head_bytes + length
  }
}
