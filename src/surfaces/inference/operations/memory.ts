/**
 * The memory of this process for large bodies and for files. What takes of it gives it back when the
 * request, or the run, has ended.
 */
import { limit } from '#dodeca/kernel'
import { problem } from '../errors.ts'

const process_bytes_max = limit(
  'inference.process_file_bytes',
  64 * 1024 * 1024,
  'bytes',
  'Large bodies and files of all calls of a process at one time',
)
const small_body_bytes = 1024 * 1024

let taken = 0

export function takeMemory(bytes: number): () => void {
  if (taken + bytes > process_bytes_max) {
    const detail =
      'The calls of this process have too many files at this time. Send it again later.'
    throw problem('capacity_exceeded', { detail })
  }
  taken += bytes
  let is_held = true
  return () => {
    if (is_held) taken -= bytes
    is_held = false
  }
}

/** Before a body is read. A small one is bounded by the number of requests. */
export function takeBody(bytes: number): (() => void) | undefined {
  return bytes > small_body_bytes ? takeMemory(bytes) : undefined
}
