/**
 * A child process with work that may take too much time or memory. It gets no environment variable of
 * the platform, so whatever it reads cannot reach a secret. It does not keep the platform running.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { lowerPriority } from './lower-priority.ts'

export type ChildProgram = {
  /** The path of its source. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
  /** `advanced` also passes bytes, maps and dates. */
  readonly serialization?: 'json' | 'advanced'
  /** `low`: processes that serve requests get the processor first. */
  readonly priority: 'usual' | 'low'
}

export function startChild(options: ChildProgram): ChildProcess {
  const { program, env = {}, execArgv = [], serialization = 'json', priority } = options
  const child = fork(program, [], {
    env: { MALLOC_ARENA_MAX: '2', ...env },
    execArgv: [...execArgv],
    serialization,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  if (priority === 'low') lowerPriority(child)
  child.unref()
  child.channel?.unref()
  return child
}

/** Calls `exceeded` when the process uses more memory. The result ends the watch. */
export function watchMemory(
  child: ChildProcess,
  { bytes, look_ms }: { readonly bytes: number; readonly look_ms: number },
  exceeded: () => void,
): () => void {
  const timer = setInterval(() => {
    void residentBytes(child.pid).then(used => used > bytes && exceeded())
  }, look_ms).unref()
  return () => clearInterval(timer)
}

/** Kills the processes and waits until they have ended. */
export async function endChildren(children: Iterable<ChildProcess>): Promise<void> {
  await Promise.all(
    [...children].map(child => {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.ref()
      child.kill('SIGKILL')
      return ended
    }),
  )
}

const page_bytes = 4096

/** 0 if the system does not report it. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * page_bytes
}
