/**
 * The child processes that open users' files, shared fairly by tenants. Decoders and parsers have
 * bugs, and a file may be made to exploit them. Each child runs one task at a time, without the
 * platform's environment variables, and is killed if it uses too much time or memory. A crash is one
 * failed attempt. A child is replaced after 200 files, and ends after some time without work.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openFairPlaces } from '../../../kernel/bounded/fair-places.ts'
import { lowerPriority } from '../../../kernel/bounded/lower-priority.ts'
import type { Kernel } from '../settings.ts'
import type {
  Derived,
  DeriveTask,
  InspectorLimits,
  InspectTask,
  Inspection,
  Task,
  TaskReply,
} from './inspector-protocol.ts'
import { Refused } from './inspector-protocol.ts'

/** Whose file it is. */
export type Caller = { readonly tenant_id: string; readonly signal: AbortSignal }

export type Inspectors = {
  inspect(task: Omit<InspectTask, 'task' | 'limits'>, by: Caller): Promise<Inspection>
  derive(task: Omit<DeriveTask, 'task' | 'limits'>, by: Caller): Promise<readonly Derived[]>
  close(): Promise<void>
}

/** The child ended, or was killed, before it replied. */
export class InspectorFailed extends Error {
  override readonly name = 'InspectorFailed'
  readonly code: 'processing_timeout' | 'decoder_crashed'
  constructor(code: InspectorFailed['code']) {
    super(code)
    this.code = code
  }
}

type Child = { readonly process: ChildProcess; tasks: number; idle: NodeJS.Timeout | undefined }

const tasks_max = 200
const idle_ms = 20_000
const memory_look_ms = 50
const program = fileURLToPath(new URL('./inspector.child.ts', import.meta.url))

export function openInspectors({ settings }: Pick<Kernel, 'settings'>): Inspectors {
  const limits: InspectorLimits = {
    image_pixels: settings['uploads.image_pixels'],
    image_side_pixels: settings['uploads.image_side_pixels'],
    image_frames: settings['uploads.image_frames'],
    archive_entries: settings['uploads.archive_entries'],
    archive_depth: settings['uploads.archive_depth'],
    archive_bytes: settings['uploads.archive_bytes'],
    archive_ratio: settings['uploads.archive_ratio'],
    pdf_pages: settings['uploads.pdf_pages'],
  }
  const pool = openPool({
    size: settings['uploads.inspectors'],
    timeout_ms: settings['uploads.inspect_seconds'] * 1000,
    memory_bytes: settings['uploads.inspector_bytes'],
  })
  return {
    inspect: async (task, by) => {
      const reply = await pool.run({ ...task, task: 'inspect', limits }, by)
      if ('inspection' in reply) return reply.inspection
      throw new InspectorFailed('decoder_crashed')
    },
    derive: async (task, by) => {
      const reply = await pool.run({ ...task, task: 'derive', limits }, by)
      if ('derived' in reply) return reply.derived
      throw new InspectorFailed('decoder_crashed')
    },
    close: pool.close,
  }
}

type PoolOptions = { size: number; timeout_ms: number; memory_bytes: number }

function openPool(options: PoolOptions) {
  const idle: Child[] = []
  const all = new Set<Child>()
  const places = openFairPlaces(options.size)
  const end = (child: Child) => {
    clearTimeout(child.idle)
    all.delete(child)
    const at = idle.indexOf(child)
    if (at !== -1) idle.splice(at, 1)
    child.process.kill('SIGKILL')
  }
  const start = (): Child => {
    const child: Child = { process: startChild(), tasks: 0, idle: undefined }
    all.add(child)
    child.process.once('exit', () => end(child))
    return child
  }
  return {
    run: async (task: Task, { tenant_id, signal }: Caller): Promise<TaskReply> => {
      const leave = await places.take(tenant_id, signal)
      const child = idle.pop() ?? start()
      clearTimeout(child.idle)
      try {
        const reply = await ask(child.process, task, options, signal)
        child.tasks++
        if (child.tasks >= tasks_max || 'failed' in reply) end(child)
        else {
          idle.push(child)
          child.idle = setTimeout(() => end(child), idle_ms).unref()
        }
        if ('refused' in reply) throw new Refused(reply.refused)
        return reply
      } catch (error) {
        if (!(error instanceof Refused)) end(child)
        throw error
      } finally {
        leave()
      }
    },
    close: async () => {
      await Promise.all(
        [...all].map(child => {
          const ended = new Promise(resolve => child.process.once('exit', resolve))
          end(child)
          return ended
        }),
      )
    },
  }
}

function startChild(): ChildProcess {
  const child = fork(program, [], {
    // So a decoder can read no secret of the platform.
    env: { VIPS_CONCURRENCY: '1', MALLOC_ARENA_MAX: '2' },
    execArgv: ['--max-old-space-size=256'],
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
  { timeout_ms, memory_bytes }: PoolOptions,
  signal: AbortSignal,
): Promise<TaskReply> {
  return await new Promise((resolve, reject) => {
    const settle = (run: () => void) => () => {
      clearTimeout(late)
      clearInterval(memory)
      child.removeAllListeners('message')
      child.off('exit', crashed)
      child.off('error', crashed)
      signal.removeEventListener('abort', stop)
      run()
    }
    const fail = (code: InspectorFailed['code']) => settle(() => reject(new InspectorFailed(code)))
    const crashed = fail('decoder_crashed')
    const stop = settle(() => reject(signal.reason as Error))
    const late = setTimeout(fail('processing_timeout'), timeout_ms)
    const memory = setInterval(() => {
      void residentBytes(child.pid).then(bytes => bytes > memory_bytes && crashed())
    }, memory_look_ms).unref()
    child.once('message', reply => settle(() => resolve(reply as TaskReply))())
    child.once('exit', crashed)
    child.once('error', crashed)
    signal.addEventListener('abort', stop, { once: true })
    child.send(task, error => error && crashed())
  })
}

const page_bytes = 4096

/** Returns 0 if the system does not report it. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * page_bytes
}
