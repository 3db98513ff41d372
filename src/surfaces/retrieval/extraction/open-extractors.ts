/**
 * The child processes that read documents of users, shared fairly by tenants. A document in a format
 * with a parser gets a separate process. The process ends with the document. Text formats and
 * chunking share a process. The shared process ends after a time without work. These processes do not
 * get the platform's environment, and are killed if they use too much time or memory.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openFairPlaces } from '../../../kernel/bounded/fair-places.ts'
import { lowerPriority } from '../../../kernel/bounded/lower-priority.ts'
import { default_limits, ExtractionFailed, type Caller, type Extractors } from './extract.ts'
import type { Task, TaskReply } from './extractor-protocol.ts'

const program = fileURLToPath(new URL('./extractor.child.ts', import.meta.url))
const idle_ms = 20_000
const memory_look_ms = 50
const page_bytes = 4096
const MiB = 1024 * 1024
/** Formats that the project reads line by line, without a parser that a file could attack. */
const plain = new Set(['text/plain', 'text/csv', 'application/json'])

export type ExtractorOptions = { readonly processes: number }

export function openExtractors({ processes }: ExtractorOptions): Extractors {
  const children = new Set<ChildProcess>()
  const idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = []
  const places = openFairPlaces(processes)
  const start = (memory_bytes: number) => {
    const child = startChild(memory_bytes)
    children.add(child)
    child.once('exit', () => {
      children.delete(child)
      const at = idle.findIndex(one => one.child === child)
      if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer)
    })
    return child
  }
  const run = async (task: Task, limits: Limits, by: Caller): Promise<TaskReply> => {
    const leave = await places.take(by.tenant_id, by.signal)
    const kept = limits.disposable ? undefined : idle.pop()
    clearTimeout(kept?.timer)
    const child = kept?.child ?? start(limits.memory_bytes)
    let keep = false
    try {
      const reply = await ask(child, task, limits, by.signal)
      keep = !limits.disposable
      return reply
    } finally {
      if (keep)
        idle.push({ child, timer: setTimeout(() => child.kill('SIGKILL'), idle_ms).unref() })
      else child.kill('SIGKILL')
      leave()
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
      const bounds = { seconds, memory_bytes, disposable: false }
      const reply = await run({ task: 'chunk', canonical, options }, bounds, by)
      if ('chunks' in reply) return reply.chunks
      throw failureOf(reply)
    },
    close: async () => {
      await Promise.all(
        [...children].map(child => {
          const ended = new Promise(resolve => child.once('exit', resolve))
          child.ref()
          child.kill('SIGKILL')
          return ended
        }),
      )
    },
  }
}

type Limits = {
  readonly seconds: number
  readonly memory_bytes: number
  readonly disposable: boolean
}

function failureOf(reply: TaskReply): ExtractionFailed {
  if (!('failed' in reply)) return new ExtractionFailed('extraction_failed')
  return new ExtractionFailed(reply.failed, { cause: new Error(reply.reason) })
}

function startChild(memory_bytes: number): ChildProcess {
  const child = fork(program, [], {
    // A parser cannot reach any secret of the platform.
    env: { MALLOC_ARENA_MAX: '2' },
    execArgv: [`--max-old-space-size=${Math.floor((memory_bytes / MiB) * 0.75)}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  lowerPriority(child)
  child.unref()
  child.channel?.unref()
  return child
}

async function ask(
  child: ChildProcess,
  task: Task,
  { seconds, memory_bytes }: Limits,
  signal?: AbortSignal,
): Promise<TaskReply> {
  return await new Promise((resolve, reject) => {
    const settle = (run: () => void) => () => {
      clearTimeout(late)
      clearInterval(memory)
      child.removeAllListeners('message')
      child.channel?.unref()
      child.off('exit', crashed)
      child.off('error', crashed)
      signal?.removeEventListener('abort', stop)
      run()
    }
    const fail = (code: ExtractionFailed['code'], reason: string) =>
      settle(() => reject(new ExtractionFailed(code, { cause: new Error(reason) })))
    // V8 ends a process whose heap is full. The document of that process caused it.
    const crashed = fail('extraction_resource_limit', 'The process that read the document ended.')
    const stop = settle(() => reject(signal?.reason as Error))
    const late = setTimeout(
      fail('extraction_timeout', `Reading the document took longer than ${seconds} s.`),
      seconds * 1000,
    )
    const memory = setInterval(() => {
      void residentBytes(child.pid).then(bytes => bytes > memory_bytes && crashed())
    }, memory_look_ms).unref()
    child.channel?.ref()
    child.once('message', reply => settle(() => resolve(reply as TaskReply))())
    child.once('exit', crashed)
    child.once('error', crashed)
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    child.send(task, error => error && crashed())
  })
}

/** 0 if the system does not report it. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * page_bytes
}
