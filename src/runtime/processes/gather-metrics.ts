/**
 * Collects the metrics of all members for the member that Prometheus has asked. A member that does
 * not reply within the limit is left out, so that one blocked process does not hide the metrics of
 * the others.
 */
import { Gauge, Registry } from 'prom-client'
import type { MemberProcess } from './members.ts'
import type { MetricList, Place } from './messages.ts'

const limit_ms = 3000

export type Gathering = {
  gather(reply: (lists: readonly MetricList[]) => void): void
  arrived(id: number, place: Place, metrics: MetricList): void
}

type Round = { lists: MetricList[]; missing: Set<number>; finish(): void }

export function openGathering(members: readonly MemberProcess[]): Gathering {
  const own = ownMetrics(members)
  const rounds = new Map<number, Round>()
  let last = 0
  return {
    gather: reply => {
      const id = ++last
      const asked = members.filter(member => member.send({ what: 'collect', id }))
      const finish = () => {
        clearTimeout(late)
        if (!rounds.delete(id)) return
        void own().then(list => reply([list, ...round.lists]))
      }
      const late = setTimeout(finish, limit_ms)
      const missing = new Set(asked.map(({ place }) => place.number))
      const round: Round = { lists: [], missing, finish }
      rounds.set(id, round)
      if (missing.size === 0) finish()
    },
    arrived: (id, { number }, metrics) => {
      const round = rounds.get(id)
      if (!round?.missing.delete(number)) return
      round.lists.push(metrics)
      if (round.missing.size === 0) round.finish()
    },
  }
}

function ownMetrics(members: readonly MemberProcess[]): () => Promise<MetricList> {
  const registry = new Registry()
  const labelNames = ['process', 'roles']
  const up = new Gauge({
    name: 'platform_process_up',
    help: 'Whether a process of this platform runs (0: it waits to be started again)',
    labelNames,
    registers: [registry],
  })
  const restarts = new Gauge({
    name: 'platform_process_restarts',
    help: 'How often a process of this platform has been started again',
    labelNames,
    registers: [registry],
  })
  return async () => {
    for (const { place, running, restarts: count } of members) {
      const labels = { process: String(place.number), roles: place.roles.join(',') }
      up.set(labels, Number(running))
      restarts.set(labels, count)
    }
    return await registry.getMetricsAsJSON()
  }
}
