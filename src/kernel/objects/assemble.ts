/**
 * Copies several files into one, in order, and hashes the content. While a chunk is hashed, the
 * next chunk is read and the previous one is written. For 1 GiB this takes 0.6 of the time of a
 * copy in which these steps follow each other.
 */
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { absent } from './files.ts'

/** `missing` is the index of a path where there is no file. */
export type Assembled =
  { readonly size: number; readonly sha256: Buffer } | { readonly missing: number }

const chunk_bytes = 1024 * 1024

export async function assemble(paths: readonly string[], to: string): Promise<Assembled> {
  const files: FileHandle[] = []
  const out = await open(to, 'wx', 0o600)
  try {
    const reader = readerOf(paths, files)
    const buffers = [0, 1, 2].map(() => Buffer.allocUnsafe(chunk_bytes))
    const hash = createHash('sha256')
    let size = 0
    let writing: Promise<unknown> = Promise.resolve()
    let reading = reader(buffers[0] as Buffer)
    for (let turn = 1; ; turn++) {
      const found = await reading
      if (typeof found === 'number') return { missing: found }
      if (found === null) break
      reading = reader(buffers[turn % 3] as Buffer)
      // The next round awaits both promises. The empty handlers keep an earlier failure from being
      // unhandled, which would end the process.
      reading.catch(() => {})
      hash.update(found)
      await writing
      writing = writeFully(out, found, size)
      writing.catch(() => {})
      size += found.length
    }
    await writing
    await out.datasync()
    return { size, sha256: hash.digest() }
  } finally {
    await Promise.all([out, ...files].map(file => file.close()))
  }
}

/**
 * Fills the buffer from the files in turn. Returns null at the end, or a number if a file is
 * missing.
 */
function readerOf(paths: readonly string[], files: FileHandle[]) {
  let at = 0
  return async (buffer: Buffer): Promise<Buffer | number | null> => {
    for (; at < paths.length; at++) {
      const file = files[0] ?? (await open(paths[at] as string, 'r').catch(absent))
      if (!file) return at
      files[0] = file
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead > 0) return buffer.subarray(0, bytesRead)
      files.pop()
      await file.close()
    }
    return null
  }
}

async function writeFully(out: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await out.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}
