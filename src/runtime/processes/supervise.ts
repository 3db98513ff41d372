/**
 * The parent of a platform of several processes. It owns the resources that all of them share (data
 * folder, embedded PostgreSQL, sandbox, the port) and answers no request itself. Api processes
 * share the port. Workers run beside them. On a stop the api processes end first, then the workers,
 * then the database.
 */
import { availableParallelism } from 'node:os'
import { StartError } from '../../kernel/errors/start-error.ts'
import { openLog } from '../../kernel/observability/log.ts'
import type { Config } from '../config.ts'
import { layGround } from '../prerequisites.ts'
import type { StartFacts } from '../start-facts.ts'
import { openGathering } from './gather-metrics.ts'
import { MemberProcess, setUpMembers } from './members.ts'
import type { Place } from './messages.ts'

export type Supervised = {
  readonly facts: StartFacts
  readonly places: readonly Place[]
  /** Returns false if a process did not end by itself or did not end with 0. */
  stop(): Promise<boolean>
  /** Ends all processes at once. */
  kill(): void
}

/** The embedded server allows 200 connections. The rest is for backups and the command line. */
const embedded_connections_max = 180
/**
 * In addition to its pool, a process has one connection that listens, one that may hold a lock, and
 * a reserved one.
 */
const connections_beside_pool = 3

/** Returns the places of all members. A single place means a platform without a parent. */
export function placesOf(config: Config): Place[] {
  const { roles, port, worker_processes } = config
  const many = config.processes === 'auto' ? availableParallelism() : config.processes
  const both = roles.includes('api') && roles.includes('worker')
  const beside = both ? (worker_processes ?? (many > 1 ? 1 : 0)) : 0
  const of_api = Array.from({ length: many }, (_, at) => ({
    number: at + 1,
    roles: beside > 0 ? (['api'] as const) : roles,
    port,
    listens: true,
  }))
  const of_work = Array.from({ length: beside }, (_, at) => ({
    number: many + at + 1,
    roles: ['worker'] as const,
    port,
    listens: false,
  }))
  return [...of_api, ...of_work]
}

export async function supervise(
  config: Config,
  places: readonly Place[],
  progress: (line: string) => void,
): Promise<Supervised> {
  refuseTooMany(config, places)
  const log = openLog({ level: config.log_level, readable: process.stdout.isTTY })
  const ground = await layGround(config, progress)
  setUpMembers()
  const members: MemberProcess[] = []
  const gathering = openGathering(members)
  const deps = { log, onGather: gathering.gather, onMetrics: gathering.arrived }
  members.push(...places.map(place => new MemberProcess(place, deps)))
  const limit_ms = config.settings['kernel.shutdown_seconds'] * 1000 + 1000
  const kill = () => {
    for (const member of members) member.kill()
  }
  const stop = async () => {
    let clean = true
    // Running requests may wait for work, so the processes that do the work stop last.
    for (const listens of [true, false]) {
      const group = members.filter(({ place }) => place.listens === listens)
      const ends = await Promise.all(group.map(member => member.stop(limit_ms)))
      clean &&= ends.every(Boolean)
    }
    await ground.release()
    return clean
  }
  try {
    const all = await Promise.all(members.map(({ first }) => first))
    const facts = { ...together(all), joined: ground.joined }
    await ground.announce({ port: facts.port, public_url: config.public_url })
    return { facts, places, stop, kill }
  } catch (error) {
    // The other members may wait for a process that failed. Killing them loses nothing.
    for (const member of members) void member.first.catch(() => undefined)
    const stopped = stop()
    kill()
    await stopped
    throw error
  }
}

/**
 * The process that started first has migrated the database and generated the administrator's
 * password.
 */
function together(all: readonly StartFacts[]): StartFacts {
  const [first] = all
  if (!first) throw new Error('a platform has at least one process')
  return {
    ...first,
    migrated: Math.max(...all.map(one => one.migrated)),
    administrator:
      all.find(one => one.administrator?.made_now)?.administrator ?? first.administrator,
  }
}

function refuseTooMany(config: Config, places: readonly Place[]): void {
  const each = config.settings['kernel.database_pool'] + connections_beside_pool
  if (config.database_url !== null || places.length * each <= embedded_connections_max) return
  const pool_max = Math.floor(embedded_connections_max / places.length) - connections_beside_pool
  const remedy =
    pool_max >= 2
      ? `Set KERNEL_DATABASE_POOL=${pool_max}, or start fewer processes.`
      : 'Start fewer processes, or name another PostgreSQL with DATABASE_URL.'
  throw new StartError(
    `${places.length} processes with up to ${each} database connections each are too many for the embedded PostgreSQL. ${remedy}`,
  )
}
