/**
 * The cost of work besides time: processor seconds of the worker and of the server that stores its
 * jobs, and bytes of PostgreSQL's log. They include the sequencing of events, if there are events.
 */
import { readdir, readFile } from 'node:fs/promises'
import { ask } from '../database.ts'
import { processorSeconds } from '../machine.ts'

/** Null if there is no such value. */
export type Costs = {
  readonly worker_seconds: number | null
  readonly server_seconds: number | null
  readonly wal_bytes: number | null
}

export type Costly = {
  readonly worker_pid: number | undefined
  /** The address of PostgreSQL, or the pid of another server. */
  readonly server: string | number | undefined
}

/** What was used between the two calls. */
export async function costsFrom(costly: Costly): Promise<() => Promise<Costs>> {
  const before = await usedSoFar(costly)
  return async () => {
    const after = await usedSoFar(costly)
    const between = (of: (used: Costs) => number | null) => {
      const [from, to] = [of(before), of(after)]
      return from === null || to === null ? null : to - from
    }
    return {
      worker_seconds: between(used => used.worker_seconds),
      server_seconds: between(used => used.server_seconds),
      wal_bytes: between(used => used.wal_bytes),
    }
  }
}

async function usedSoFar({ worker_pid, server }: Costly): Promise<Costs> {
  const worker_seconds = await processorSeconds(worker_pid)
  if (typeof server !== 'string') {
    return { worker_seconds, server_seconds: await processorSeconds(server), wal_bytes: null }
  }
  const [row] = await ask(
    server,
    `select pid, pg_current_wal_lsn() - '0/0'::pg_lsn as bytes
     from pg_stat_activity where backend_type = 'checkpointer'`,
  )
  const server_seconds = await familySeconds(Number(row?.['pid']))
  return { worker_seconds, server_seconds, wal_bytes: Number(row?.['bytes']) }
}

const ticks_per_second = 100

/** For the postmaster, its children, and children that have ended. */
async function familySeconds(child: number): Promise<number | null> {
  const postmaster = (await statOf(child))?.parent
  if (postmaster === undefined) return null
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  const stats = await Promise.all(pids.map(async pid => ({ pid, stat: await statOf(pid) })))
  let ticks = 0
  for (const { pid, stat } of stats) {
    if (!stat) continue
    if (pid === postmaster) ticks += stat.own_ticks + stat.ended_ticks
    else if (stat.parent === postmaster) ticks += stat.own_ticks
  }
  return ticks / ticks_per_second
}

async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (text === null) return null
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const at = (index: number) => fields[index] ?? 0
  return { parent: at(1), own_ticks: at(11) + at(12), ended_ticks: at(13) + at(14) }
}
