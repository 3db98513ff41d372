/**
 * Gives a child process with background work a lower priority (nice 10), so that the processes that
 * serve requests get the processor first. Called before the child has made its threads: on Linux they
 * inherit the priority, and each has its own.
 */
import type { ChildProcess } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'

const lower_by = 10
const lowest = 19

export function lowerPriority({ pid }: ChildProcess): void {
  // Without a pid the process was not started. Only root may raise a priority, so it is relative.
  if (pid !== undefined) setPriority(pid, Math.min(lowest, getPriority() + lower_by))
}
