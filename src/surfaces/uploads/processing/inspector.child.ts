/**
 * The program of a child process that opens users' files. It replies to each task with one message.
 */
import { deriveImages } from './derive-images.ts'
import { inspectFile } from './inspect-file.ts'
import { Refused, type Task, type TaskReply } from './inspector-protocol.ts'

process.on('message', (task: Task) => {
  void answer(task).then(reply => process.send?.(reply))
})
// The platform's process has ended.
process.on('disconnect', () => process.exit())

async function answer(task: Task): Promise<TaskReply> {
  try {
    if (task.task === 'derive') return { derived: await deriveImages(task) }
    return { inspection: await inspectFile(task) }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.code }
    return { failed: String(error).slice(0, 500) }
  }
}
