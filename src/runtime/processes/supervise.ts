/**
 * The parent of a platform of several processes. It owns the resources that all of them share (data
 * folder, embedded PostgreSQL, sandbox, the port) and answers no request itself. Api processes
 * share the port. Workers run beside them. On a stop the api processes end first, then the workers,
 * then the database.
 */
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

export async function supervise(
  config: Config,
  places: readonly Place[],
  progress: (line: string) => void,
  vendors: readonly URL[],
): Promise<Supervised> {
  const log = openLog({ level: config.log_level, readable: process.stdout.isTTY })
  const ground = await layGround(config, progress, vendors)
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
