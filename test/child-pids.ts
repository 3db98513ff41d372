/** The child processes of this process, and how far each gives way to it. */
import { readdir, readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'

export async function childPids(): Promise<number[]> {
  const threads = await readdir('/proc/self/task')
  const lists = await Promise.all(
    threads.map(async id => await readFile(`/proc/self/task/${id}/children`, 'utf8')),
  )
  return lists.flatMap(list => list.trim().split(' ').filter(Boolean).map(Number))
}

export function extraNiceOf(pid: number): number {
  return getPriority(pid) - getPriority()
}

/** Of processes with background work: ten, or less because tests run with a low priority themselves. */
export const low_extra = Math.min(10, 19 - getPriority())
