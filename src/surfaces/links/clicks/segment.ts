/**
 * One file of the spool. Frames are appended in order. When all of them are stored in the database,
 * the current file is emptied, and an older file is deleted. A write is one synchronous call that
 * returns when the operating system has the frame. A queued write would be lost if the process was
 * killed.
 */
/* oxlint-disable node/no-sync -- a frame must be with the system before the next click, and takes microseconds */
import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { Batch } from './batch.ts'
import { fromFrame } from './frames.ts'

export type Place = { readonly segment: Segment; readonly at: number; readonly bytes: number }

export class Segment {
  private readonly path: string
  private readonly file: number
  private end = 0
  private waiting = 0
  private sealed = false

  constructor(path: string) {
    this.path = path
    this.file = openSync(path, 'wx+', 0o600)
  }

  get bytes(): number {
    return this.end
  }

  /** Returns when the operating system has the frame. */
  append(frame: Buffer): Place {
    const written = writeSync(this.file, frame, 0, frame.length, this.end)
    if (written !== frame.length) throw new Error('the spool took half a frame')
    const place = { segment: this, at: this.end, bytes: frame.length }
    this.end += frame.length
    this.waiting++
    return place
  }

  batchAt({ at, bytes }: Place): Batch | null {
    const frame = Buffer.allocUnsafe(bytes)
    readSync(this.file, frame, 0, bytes, at)
    return fromFrame(frame)
  }

  /** Counts one frame that is no longer needed. */
  done(): void {
    this.waiting--
    if (this.waiting > 0) return
    if (this.sealed) return this.remove()
    this.end = 0
    ftruncateSync(this.file)
  }

  /** Closes the file for new frames. */
  seal(): void {
    this.sealed = true
    if (this.waiting === 0) this.remove()
  }

  /** Closes the file and leaves its content to the next process. An empty file is deleted. */
  leave(): void {
    if (this.waiting === 0) this.seal()
    else closeSync(this.file)
  }

  private remove(): void {
    closeSync(this.file)
    rmSync(this.path, { force: true })
  }
}
