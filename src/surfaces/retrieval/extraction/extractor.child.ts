/**
 * The program of a child process that reads documents of users. It replies to each task with one
 * message.
 */
import { extractFile } from './extract-file.ts'
import { ExtractionFailed } from './extract.ts'
import type { Task, TaskReply } from './extractor-protocol.ts'

process.on('message', (task: Task) => {
  void answer(task).then(reply => process.send?.(reply))
})
// The platform process has ended.
process.on('disconnect', () => process.exit())

async function answer(task: Task): Promise<TaskReply> {
  try {
    if (task.task === 'chunk') {
      // The tokenizer takes 0.2 s and 66 MB, so a process that only extracts does not load it.
      const { chunk } = await import('../chunking/chunk.ts')
      return { chunks: chunk(task.canonical, task.options) }
    }
    return { canonical: await extractFile(task.bytes, task.detected_type, task.limits) }
  } catch (error) {
    if (error instanceof ExtractionFailed) return { failed: error.code, reason: error.code }
    // Parsers of deep trees can exceed the stack.
    const code = error instanceof RangeError ? 'extraction_resource_limit' : 'extraction_failed'
    return { failed: code, reason: String(error).slice(0, 500) }
  }
}
