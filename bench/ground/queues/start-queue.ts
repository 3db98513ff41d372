/** The parent's side: a queue in its own process, and the requests to it. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { StartError } from '#dodeca/kernel'
import { ended, startOn } from '../machine.ts'
import { productionEnvironment } from '../platform.ts'
import type { Drained, WorkAsked } from './answer-work.ts'

const files = {
  dodeca: 'dodeca-process',
  graphile: 'graphile-process',
  'graphile-batched': 'graphile-process',
  'pg-boss': 'pg-boss-process',
  bullmq: 'bullmq-process',
  'bullmq-kept': 'bullmq-process',
} as const

export type QueueKind = keyof typeof files

export type QueueProcess = {
  readonly pid: number | undefined
  load(count: number, tenants?: number): Promise<void>
  drain(count: number): Promise<Drained>
  /**
   * Submits jobs one by one. Returns the milliseconds from each commit to the start of its handler.
   */
  latencies(count: number, gap_ms: number): Promise<number[]>
  /**
   * Runs this number of jobs of a separate tenant, repeatedly. Returns the time of each repetition.
   */
  few(count: number, times: number): Promise<number[]>
  work(): Promise<void>
  handled(): Promise<number>
  left(): Promise<number>
  held(): Promise<number>
  kill(signal?: NodeJS.Signals): Promise<void>
}

export type QueueStart = {
  readonly kind: QueueKind
  readonly url: string
  readonly env?: Readonly<Record<string, string>>
  readonly profile?: string | null
  /** How long a job takes; most do nothing. */
  readonly work_ms?: number
}

export async function startQueue(start: QueueStart): Promise<QueueProcess> {
  const { kind, url, env = {}, profile, work_ms = 0 } = start
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
      fileURLToPath(new URL(`./${files[kind]}.ts`, import.meta.url)),
      url,
      kind,
      String(work_ms),
    ],
    env: { ...secrets(url), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const died = ended(child).then(() => {
    throw new StartError(`The process of ${kind} ended; what it said stands above.`)
  })
  died.catch(() => undefined)
  await Promise.race([once(child, 'message'), died])
  const asking = async <T>(asked: WorkAsked): Promise<T> => {
    child.send(asked)
    const [answer] = (await Promise.race([once(child, 'message'), died])) as [{ done: T }]
    return answer.done
  }
  return {
    pid: child.pid,
    load: (count, tenants = 1) => asking({ ask: 'load', count, tenants }),
    drain: count => asking({ ask: 'drain', count }),
    latencies: (count, gap_ms) => asking({ ask: 'beat', count, gap_ms }),
    few: (count, times) => asking({ ask: 'few', count, times }),
    work: () => asking({ ask: 'work' }),
    handled: () => asking({ ask: 'handled' }),
    left: () => asking({ ask: 'left' }),
    held: () => asking({ ask: 'held' }),
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await ended(child)
    },
  }
}

/** All processes on one database share them. */
function secrets(url: string): Record<string, string> {
  const { KERNEL_KEYRING = '', KERNEL_PEPPER = '' } = productionEnvironment(url)
  return { KERNEL_KEYRING, KERNEL_PEPPER }
}
