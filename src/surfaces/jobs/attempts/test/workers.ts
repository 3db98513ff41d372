/** Processes that run jobs: started, stopped, killed, and started again by their supervisor. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inherited } from '../../../../../test/process.ts'
import { endsWithFile } from '../../../../../test/children.ts'

export type WorkerProcess = {
  readonly child: ChildProcess
  readonly gone: Promise<unknown>
  kill(signal?: NodeJS.Signals): Promise<unknown>
}

export async function startWorker(
  environment: Record<string, string>,
  more: Record<string, string> = {},
): Promise<WorkerProcess> {
  const file = fileURLToPath(new URL('./engine-child.ts', import.meta.url))
  const child = endsWithFile(
    spawn(process.execPath, [file], {
      env: { ...inherited, ...environment, ROLES: 'worker', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  // Not inherited: one that stands still would hold the output of the whole run open.
  child.stderr.pipe(process.stderr)
  const gone = once(child, 'exit')
  const ready = new Promise<void>(resolve => {
    child.stdout.on('data', part => {
      if (String(part).includes('ready')) resolve()
    })
  })
  await Promise.race([ready, gone])
  return {
    child,
    gone,
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal)
      return await gone
    },
  }
}

/** Starts a worker again whenever it is gone, until it is stopped. */
export function watchOver(
  environment: Record<string, string>,
  more: Record<string, string> = {},
): { current(): WorkerProcess | undefined; stop(): Promise<void> } {
  let stopping = false
  let current: WorkerProcess | undefined
  const watching = (async () => {
    while (!stopping) {
      current = await startWorker(environment, more)
      await current.gone
    }
  })()
  return {
    current: () => current,
    stop: async () => {
      stopping = true
      current?.child.kill('SIGKILL')
      await watching
    },
  }
}
