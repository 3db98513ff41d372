/**
 * The child processes that read documents of users. A document in a format with a parser gets a
 * separate process, which ends with the document. Text formats and chunking share processes.
 */
import { fileURLToPath } from 'node:url'
import { ChildFailed, openChildPool, type Bounds } from '#dodeca/kernel'
import { default_limits, ExtractionFailed, type Caller, type Extractors } from './extract.ts'
import type { Task, TaskReply } from './extractor-protocol.ts'

const program = fileURLToPath(new URL('./extractor.child.ts', import.meta.url))
/** Formats that the project reads line by line, without a parser that a file could attack. */
const plain = new Set(['text/plain', 'text/csv', 'application/json'])

export type ExtractorOptions = { readonly processes: number }

export function openExtractors({ processes: places }: ExtractorOptions): Extractors {
  const pool = openChildPool<Task, TaskReply>({
    program,
    serialization: 'advanced',
    priority: 'low',
    heap_share: 0.75,
    places,
  })
  const run = async (task: Task, bounds: Bounds, by: Caller) => {
    try {
      return await pool.run(task, bounds, by)
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error
      // The document is the cause of a process that ended.
      const code = error.code === 'timeout' ? 'extraction_timeout' : 'extraction_resource_limit'
      throw new ExtractionFailed(code, { cause: error })
    }
  }
  return {
    extract: async (bytes, detected_type, limits, by) => {
      const is_image = detected_type.startsWith('image/')
      const seconds = is_image ? limits.ocr_timeout_seconds : limits.timeout_seconds
      const { memory_bytes } = limits
      const bounds = { seconds, memory_bytes, disposable: !plain.has(detected_type) }
      const reply = await run({ task: 'extract', bytes, detected_type, limits }, bounds, by)
      if ('canonical' in reply) return reply.canonical
      throw failureOf(reply)
    },
    chunk: async (canonical, options, by) => {
      const { timeout_seconds: seconds, memory_bytes } = default_limits
      const reply = await run({ task: 'chunk', canonical, options }, { seconds, memory_bytes }, by)
      if ('chunks' in reply) return reply.chunks
      throw failureOf(reply)
    },
    close: pool.close,
  }
}

function failureOf(reply: TaskReply): ExtractionFailed {
  if (!('failed' in reply)) return new ExtractionFailed('extraction_failed')
  return new ExtractionFailed(reply.failed, { cause: new Error(reply.reason) })
}
