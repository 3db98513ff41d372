/**
 * The format of batches in a file: length, checksum, JSON. A process that dies while it writes
 * leaves half a frame at the end, and a damaged disk may change a frame. So reading stops at the
 * first invalid frame.
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
  if (length > frame_bytes_max || frame.length < head_bytes + length) return null
  const body = frame.subarray(head_bytes, head_bytes + length)
  if (crc32(body) !== frame.readUInt32LE(4)) return null
  const value: unknown = JSON.parse(body.toString())
  return stored.Check(value) ? value : null
}

/** All whole frames from the beginning. */
export function* framesIn(bytes: Buffer): Generator<Batch, void> {
  let at = 0
  while (at < bytes.length) {
    const batch = fromFrame(bytes.subarray(at))
    if (!batch) return
    yield batch
    at += head_bytes + bytes.readUInt32LE(at)
  }
}
