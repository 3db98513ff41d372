/**
 * Processes that a test file starts end with the file, also those that stand still (SIGSTOP) because
 * a test failed before it let them continue. Otherwise one that is left holds the output of the run
 * open, and the run does not end. `end-children.ts` does it for every file.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const started = new Set<ChildProcess>()

export function endsWithFile<C extends ChildProcess>(child: C): C {
  started.add(child)
  child.once('exit', () => started.delete(child))
  child.once('error', () => started.delete(child))
  return child
}

export async function endChildren(): Promise<void> {
  const left = [...started]
  const gone = left.map(child => once(child, 'exit'))
  // Also ends a process that stands still.
  for (const child of left) child.kill('SIGKILL')
  await Promise.all(gone)
}
