/**
 * A pool of child processes that work on what users sent, shared fairly by tenants. A parser may have
 * bugs, and a file may be made to exploit them. So each child runs one task at a time, and is killed if
 * the task uses too much time or memory. A child without work ends after some time.
 */
import type { ChildProcess, Serializable } from 'node:child_process'
import { endChildren, startChild, watchMemory, type ChildProgram } from './child-process.ts'
import { openFairPlaces } from './fair-places.ts'

export type ChildPoolOptions = Omit<ChildProgram, 'execArgv'> & {
  /** Which part of a task's memory V8 may use for its heap. The rest is for native code. */
  readonly heap_share: number
  /** The maximum number of processes at a time. */
  readonly places: number
  /** A process is replaced after so many tasks. */
  readonly tasks_max?: number
}

export type Bounds = {
  readonly seconds: number
  readonly memory_bytes: number
  /** The process ends with the task. */
  readonly disposable?: boolean
}

/** Whose task it is. */
export type TaskOwner = { readonly tenant_id: string; readonly signal?: AbortSignal }

export type ChildPool<Task, Reply> = {
  /** Rejects with `ChildFailed`, or with the reason of the owner's signal. */
  run(task: Task, bounds: Bounds, owner: TaskOwner): Promise<Reply>
  close(): Promise<void>
}

/** The child has ended before it replied. V8 also ends a process whose heap is full. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed'
  readonly code: 'timeout' | 'ended'
  constructor(code: ChildFailed['code']) {
    super(code === 'timeout' ? 'The task took too long.' : 'The process of the task ended.')
    this.code = code
  }
}

type Child = { readonly process: ChildProcess; tasks: number; idle: NodeJS.Timeout | undefined }

const idle_ms = 20_000
const look_ms = 50
const MiB = 1024 * 1024

export function openChildPool<Task extends Serializable, Reply extends object>(
  options: ChildPoolOptions,
): ChildPool<Task, Reply> {
  const { places: size, tasks_max = Infinity, heap_share } = options
  const idle: Child[] = []
  const all = new Set<Child>()
  const places = openFairPlaces(size)
  const end = (child: Child) => {
    clearTimeout(child.idle)
    all.delete(child)
    const at = idle.indexOf(child)
    if (at !== -1) idle.splice(at, 1)
    child.process.kill('SIGKILL')
  }
  const start = (memory_bytes: number): Child => {
    const execArgv = [`--max-old-space-size=${Math.floor((memory_bytes / MiB) * heap_share)}`]
    const process = startChild({ ...options, execArgv })
    const child: Child = { process, tasks: 0, idle: undefined }
    all.add(child)
    child.process.once('exit', () => end(child))
    return child
  }
  const keep = (child: Child) => {
    idle.push(child)
    child.idle = setTimeout(() => end(child), idle_ms).unref()
  }
  return {
    run: async (task, bounds, { tenant_id, signal }) => {
      const leave = await places.take(tenant_id, signal)
      const { disposable = false, memory_bytes } = bounds
      const child = (disposable ? undefined : idle.pop()) ?? start(memory_bytes)
      clearTimeout(child.idle)
      let reply: Reply | undefined
      try {
        reply = await ask<Reply>(child.process, task, bounds, signal)
        return reply
      } finally {
        child.tasks++
        const is_spent = disposable || child.tasks >= tasks_max
        if (!reply || is_spent || 'failed' in reply) end(child)
        else keep(child)
        leave()
      }
    },
    close: async () => {
      const processes = [...all].map(child => child.process)
      const ended = endChildren(processes)
      for (const child of all) end(child)
      await ended
    },
  }
}

async function ask<Reply>(
  child: ChildProcess,
  task: Serializable,
  { seconds, memory_bytes }: Bounds,
  signal?: AbortSignal,
): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const settle = (run: () => void) => () => {
      clearTimeout(late)
      unwatch()
      child.removeAllListeners('message')
      child.channel?.unref()
      child.off('exit', ended)
      child.off('error', ended)
      signal?.removeEventListener('abort', stop)
      run()
    }
    const fail = (code: ChildFailed['code']) => settle(() => reject(new ChildFailed(code)))
    const ended = fail('ended')
    const stop = settle(() => reject(signal?.reason as Error))
    const late = setTimeout(fail('timeout'), seconds * 1000)
    const unwatch = watchMemory(child, { bytes: memory_bytes, look_ms }, ended)
    child.channel?.ref()
    child.once('message', reply => settle(() => resolve(reply as Reply))())
    child.once('exit', ended)
    child.once('error', ended)
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    child.send(task, error => error && ended())
  })
}
