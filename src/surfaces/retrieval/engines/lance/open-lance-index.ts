/**
 * Index tables in LanceDB, in three child processes: one reads, one writes, and one
 * completes indexes. So a write that hangs, or is killed with its lease, does not stop searches, and
 * a long build does not delay writes. Only the reader has the usual priority, because searches wait
 * for it. Each process starts at its first use, is replaced when it uses too much memory, and ends
 * after a time without work.
 */
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endChildren, startChild, watchMemory, type ChildProgram } from '#dodeca/kernel'
import {
  checkTableName,
  IndexFailed,
  monotonicMs,
  type Lease,
  type RetrievalIndex,
} from '../index.ts'
import { completeWhenQuiet } from './complete-when-quiet.ts'
import type { Call, CallReply, Extension, Method, Storage } from './protocol.ts'

const program = fileURLToPath(new URL('./lance.child.ts', import.meta.url))
const look_ms = 1000

export type LanceOptions = {
  readonly storage: Storage
  /** A process that uses more memory is replaced after its calls have ended. */
  readonly memory_bytes: number
  readonly read_seconds: number
  readonly idle_seconds: number
  /** Indexes are completed when no row has been written for so long. */
  readonly quiet_ms?: number
}

type Worker = {
  readonly call: (
    call: Pick<Call, 'method' | 'parameters'>,
    seconds: number,
    lease?: Lease,
  ) => Promise<unknown>
  readonly close: () => Promise<void>
}

export function openLanceIndex(options: LanceOptions): RetrievalIndex {
  const { quiet_ms = 30_000 } = options
  const reader = openWorker(options, 'usual')
  const writer = openWorker(options, 'low')
  const builder = openWorker(options, 'low')
  /** The process was replaced or killed meanwhile, so the call is sent to the next one. */
  const read = async (method: Method, parameters: readonly unknown[]) => {
    checkTableName(String(parameters[0]))
    const ask = async () => await reader.call({ method, parameters }, options.read_seconds)
    try {
      return await ask()
    } catch (error) {
      if (error instanceof ProcessEnded) return await ask()
      throw error
    }
  }
  const write = async (method: Method, parameters: readonly unknown[], lease?: Lease) => {
    checkTableName(String(parameters[0]))
    const seconds = method === 'copy' ? copy_seconds : write_seconds
    await writer.call({ method, parameters }, seconds, lease)
  }
  const complete = async (table: string) => {
    checkTableName(table)
    await builder.call({ method: 'completeIndexes', parameters: [table] }, write_seconds)
  }
  const quiet = completeWhenQuiet(complete, quiet_ms)
  return {
    create: async (...all) => await write('create', all),
    upsert: async (...all) => {
      await write('upsert', all, all[2])
      quiet.wrote(all[0])
    },
    setAccess: async (...all) => await write('setAccess', all, all[3]),
    deleteByDocument: async (...all) => await write('deleteByDocument', all, all[2]),
    compact: async (...all) => await write('compact', all, all[1]),
    completeIndexes: complete,
    copy: async (...all) => {
      checkTableName(all[1])
      await write('copy', all, all[2])
    },
    drop: async (...all) => {
      quiet.forget(all[0])
      await write('drop', all)
    },
    search: async (...all) => (await read('search', all)) as never,
    documents: async (...all) => (await read('documents', all)) as never,
    count: async (...all) => (await read('count', all)) as never,
    close: async () => {
      quiet.close()
      await Promise.all([reader.close(), writer.close(), builder.close()])
    },
  }
}

/**
 * A write ends with its lease. This timeout ends a write that has no lease, such as dropping a
 * table.
 */
const write_seconds = 3600
/** A copy takes about ten minutes for a million rows, and its lease is extended. */
const copy_seconds = 6 * 3600

class ProcessEnded extends IndexFailed {
  constructor() {
    super('engine_failed', 'The process of the search engine ended. Repeat the call.')
  }
}

type Pending = { resolve(value: unknown): void; reject(error: Error): void }
type Child = { readonly process: ChildProcess; readonly pending: Map<number, Pending> }

function openWorker(
  { memory_bytes: bytes, idle_seconds, storage }: LanceOptions,
  priority: ChildProgram['priority'],
): Worker {
  let current: Child | undefined
  const all = new Set<Child>()
  let last_id = 0
  let idle: NodeJS.Timeout | undefined
  const retire = (child: Child) => {
    if (current === child) current = undefined
    if (child.pending.size === 0) child.process.kill('SIGKILL')
  }
  const start = (): Child => {
    const child: Child = { process: startLance(storage, priority), pending: new Map() }
    const unwatch = watchMemory(child.process, { bytes, look_ms }, () => retire(child))
    all.add(child)
    child.process.on('message', reply => settle(child, reply as CallReply))
    const ended = () => {
      unwatch()
      all.delete(child)
      if (current === child) current = undefined
      for (const { reject } of child.pending.values()) reject(new ProcessEnded())
      child.pending.clear()
    }
    child.process.once('exit', ended)
    child.process.once('error', ended)
    return child
  }
  return {
    call: async (call, seconds, lease) => {
      clearTimeout(idle)
      current ??= start()
      const child = current
      const id = ++last_id
      const late = setTimeout(() => child.process.kill('SIGKILL'), seconds * 1000).unref()
      const until = lease && { until_ms: lease.until_ms }
      const unfollow = lease && followLease(lease, child.process, id)
      try {
        return await new Promise((resolve, reject) => {
          child.pending.set(id, { resolve, reject })
          child.process.channel?.ref()
          child.process.send({ ...call, ...until, id } satisfies Call, error => {
            if (error) reject(new ProcessEnded())
          })
        })
      } finally {
        clearTimeout(late)
        unfollow?.()
        child.pending.delete(id)
        if (child.pending.size === 0) child.process.channel?.unref()
        if (current !== child) retire(child)
        clearTimeout(idle)
        idle = setTimeout(() => current && retire(current), idle_seconds * 1000).unref()
      }
    },
    close: async () => {
      clearTimeout(idle)
      await endChildren([...all].map(child => child.process))
    },
  }
}

/** Tells the process when the lease of its call was extended. Looks after half of what is left. */
function followLease(lease: Lease, child: ChildProcess, id: number): () => void {
  let known = lease.until_ms
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const { until_ms } = lease
    // A process that has ended has no use for it.
    if (until_ms > known) child.send({ extended: id, until_ms } satisfies Extension, () => {})
    known = until_ms
    wait()
  }
  const wait = () => {
    timer = setTimeout(look, Math.max(10, (known - monotonicMs()) / 2)).unref()
  }
  wait()
  return () => clearTimeout(timer)
}

function settle({ pending }: Child, reply: CallReply): void {
  const waiting = pending.get(reply.id)
  if ('value' in reply) waiting?.resolve(reply.value)
  else if ('failed' in reply) waiting?.reject(new IndexFailed(reply.failed, reply.reason))
  else waiting?.resolve(undefined)
}

/** The credentials of the object store come with the storage, not in the environment. */
function startLance(storage: Storage, priority: ChildProgram['priority']): ChildProcess {
  const env = { LANCE_INCLUDE_VECTOR_CENTROIDS: 'false' }
  const child = startChild({ program, env, serialization: 'advanced', priority })
  child.send(storage)
  return child
}
