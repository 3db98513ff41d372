/** The parent's half: a queue in a process of its own, and what it cost to work it off. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { StartError } from '../../../src/kernel/start-error.ts'
import { ask } from '../database.ts'
import { ended, processorSeconds, startOn } from '../machine.ts'
import type { Drained, WorkAsked } from './answer-work.ts'

export type QueueKind =
  'dodeca' | 'graphile' | 'graphile-batched' | 'pg-boss' | 'bullmq' | 'bullmq-kept'

export type QueueProcess = {
  readonly pid: number | undefined
  load(count: number, tenants?: number): Promise<void>
  drain(count: number): Promise<Drained & { readonly cpu_us: number | null }>
  /** Submits one by one; answers the milliseconds from each commit to the begin of its handler. */
  latencies(count: number, gap_ms: number): Promise<number[]>
  kill(signal?: NodeJS.Signals): Promise<void>
}

export type QueueStart = {
  readonly kind: QueueKind
  readonly url: string
  readonly env?: Record<string, string>
  readonly profile?: string | null
}

const files: Record<QueueKind, URL> = {
  dodeca: new URL('./dodeca-process.ts', import.meta.url),
  graphile: new URL('./graphile-process.ts', import.meta.url),
  'graphile-batched': new URL('./graphile-process.ts', import.meta.url),
  'pg-boss': new URL('./pg-boss-process.ts', import.meta.url),
  bullmq: new URL('./bullmq-process.ts', import.meta.url),
  'bullmq-kept': new URL('./bullmq-process.ts', import.meta.url),
}

export async function startQueue({
  kind,
  url,
  env = {},
  profile,
}: QueueStart): Promise<QueueProcess> {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
      fileURLToPath(files[kind]),
      url,
      kind,
    ],
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const died = ended(child).then(() => {
    throw new StartError(`The process of ${kind} ended; what it said stands above.`)
  })
  died.catch(() => undefined)
  await Promise.race([once(child, 'message'), died])
  const asking = async (asked: WorkAsked): Promise<unknown> => {
    child.send(asked)
    const [answer] = (await Promise.race([once(child, 'message'), died])) as [{ done: unknown }]
    return answer.done
  }
  return {
    pid: child.pid,
    load: async (count, tenants = 1) => void (await asking({ ask: 'load', count, tenants })),
    drain: async count => {
      const before = await processorSeconds(child.pid)
      const drained = (await asking({ ask: 'drain', count })) as Drained
      const after = await processorSeconds(child.pid)
      const cpu_us = before === null || after === null ? null : ((after - before) / count) * 1e6
      return { ...drained, cpu_us }
    },
    latencies: async (count, gap_ms) => {
      await asking({ ask: 'beat', count, gap_ms })
      return (await asking({ ask: 'latencies' })) as number[]
    },
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await ended(child)
    },
  }
}

/** Bytes of write-ahead log so far. */
export async function walBytes(url: string): Promise<number> {
  const [row] = await ask(url, `select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)
  return Number(row?.['bytes'])
}
