/**
 * One file of the spool. Frames are appended in order; when all of them are stored in the database the
 * file has served: the current one is emptied, an older one goes. What is done to the file is done in turn.
 */
import { open, rm, type FileHandle } from 'node:fs/promises'
import type { Batch } from './batch.ts'
import { fromFrame } from './frames.ts'

export type Place = { readonly segment: Segment; readonly at: number; readonly bytes: number }

export class Segment {
  private readonly path: string
  private readonly file: FileHandle
  private end = 0
  private waiting = 0
  private sealed = false
  private last: Promise<unknown> = Promise.resolve()

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.file = file
  }

  static async make(path: string): Promise<Segment> {
    return new Segment(path, await open(path, 'wx+', 0o600))
  }

  get bytes(): number {
    return this.end
  }

  /** The promise is kept when the system has taken the frame. */
  async append(frame: Buffer): Promise<Place> {
    const place = { segment: this, at: this.end, bytes: frame.length }
    this.end += frame.length
    this.waiting++
    try {
      const { bytesWritten } = await this.inTurn(() =>
        this.file.write(frame, 0, frame.length, place.at),
      )
      if (bytesWritten !== frame.length) throw new Error('the spool took half a frame')
    } catch (error) {
      await this.done()
      throw error
    }
    return place
  }

  async batchAt({ at, bytes }: Place): Promise<Batch | null> {
    const frame = Buffer.allocUnsafe(bytes)
    await this.file.read(frame, 0, bytes, at)
    return fromFrame(frame)
  }

  /** One of its frames is not needed any more. */
  async done(): Promise<void> {
    this.waiting--
    if (this.waiting > 0) return
    if (this.sealed) return await this.remove()
    this.end = 0
    await this.inTurn(() => this.file.truncate())
  }

  /** Nothing more will be appended. */
  async seal(): Promise<void> {
    this.sealed = true
    if (this.waiting === 0) await this.remove()
  }

  /** Leaves what is in it to whoever comes next; an empty one goes. */
  async leave(): Promise<void> {
    if (this.waiting === 0) await this.seal()
    else await this.inTurn(() => this.file.close())
  }

  private async remove(): Promise<void> {
    await this.inTurn(() => this.file.close())
    await rm(this.path, { force: true })
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.last.then(act)
    this.last = mine.catch(() => {})
    return mine
  }
}
