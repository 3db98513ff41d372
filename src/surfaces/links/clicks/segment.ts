/**
 * One file of the spool. Frames are appended in order; when all of them are stored in the database the
 * file has served: the current one is emptied, an older one goes.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  read as readFrom,
  rmSync,
  write as writeTo,
} from 'node:fs'
import { promisify } from 'node:util'
import type { Batch } from './batch.ts'
import { fromFrame } from './frames.ts'

const write = promisify(writeTo)
const read = promisify(readFrom)

export type Place = { readonly segment: Segment; readonly at: number; readonly bytes: number }

export class Segment {
  readonly path: string
  private readonly file: number
  private end = 0
  private waiting = 0
  private sealed = false
  private last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.path = path
    this.file = openSync(path, 'wx+', 0o600)
  }

  get bytes(): number {
    return this.end
  }

  /** Frames follow each other; the promise is kept when the system has taken this one. */
  async append(frame: Buffer): Promise<Place> {
    const place = { segment: this, at: this.end, bytes: frame.length }
    this.end += frame.length
    this.waiting++
    const before = this.last
    const written = before.then(() => write(this.file, frame, 0, frame.length, place.at))
    this.last = written.catch(() => {})
    try {
      const { bytesWritten } = await written
      if (bytesWritten !== frame.length) throw new Error('the spool took half a frame')
    } catch (error) {
      this.done()
      throw error
    }
    return place
  }

  async batchAt({ at, bytes }: Place): Promise<Batch | null> {
    const frame = Buffer.allocUnsafe(bytes)
    await read(this.file, frame, 0, bytes, at)
    return fromFrame(frame)
  }

  /** One of its frames is not needed any more. */
  done(): void {
    this.waiting--
    if (this.waiting > 0) return
    if (this.sealed) return this.remove()
    ftruncateSync(this.file)
    this.end = 0
  }

  /** Nothing more will be appended. */
  seal(): void {
    this.sealed = true
    if (this.waiting === 0) this.remove()
  }

  /** Leaves what is in it to whoever comes next; an empty one goes. */
  async leave(): Promise<void> {
    await this.last
    if (this.waiting === 0) return this.seal()
    closeSync(this.file)
  }

  private remove(): void {
    closeSync(this.file)
    rmSync(this.path, { force: true })
  }
}
