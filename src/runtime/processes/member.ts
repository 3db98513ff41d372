/**
 * A process as one of several. It reports to the parent when it is ready, stops when the parent
 * sends `stop`, and shares its metrics. A member ends when its parent has ended in any way, because
 * node:cluster ends it when the channel closes.
 */
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client'
import type { StartFacts } from '../start-facts.ts'
import type { MetricList, Place, ToMember, ToParent } from './messages.ts'

export type Member = Place & {
  ready(facts: StartFacts): void
  /** Resolves when the message has been written. After that the process may end. */
  failed(message: string): Promise<void>
  onStop(stop: () => void): void
  /** Each value of the registry gets the label `process`. `measure` updates the values. */
  shareMetrics(registry: Registry, measure: () => Promise<void>): void
  /** The metrics of all processes as Prometheus reads them. */
  allMetrics(): Promise<string>
}

export function openMember(place: Place): Member {
  let collect: () => Promise<MetricList> = () => Promise.resolve([])
  let stop = () => {}
  let asked = 0
  const waiting = new Map<number, (lists: readonly MetricList[]) => void>()
  process.on('message', (message: ToMember) => {
    if (message.what === 'stop') stop()
    if (message.what === 'collect') {
      const { id } = message
      // A process that cannot measure, for example without a database, sends no metrics, so that
      // the parent need not wait.
      collect().then(
        metrics => say({ what: 'metrics', id, metrics }),
        () => say({ what: 'metrics', id, metrics: [] }),
      )
    }
    if (message.what === 'gathered') {
      waiting.get(message.id)?.(message.lists)
      waiting.delete(message.id)
    }
  })
  return {
    ...place,
    ready: facts => say({ what: 'ready', facts }),
    failed: message =>
      new Promise(resolve => {
        process.send?.({ what: 'failed', message } satisfies ToParent, () => resolve())
      }),
    onStop: then => {
      stop = then
    },
    shareMetrics: (registry, measure) => {
      registry.setDefaultLabels({ process: String(place.number) })
      collect = async () => {
        await measure()
        return await registry.getMetricsAsJSON()
      }
    },
    allMetrics: async () => {
      const id = ++asked
      const lists = await new Promise<readonly MetricList[]>(resolve => {
        waiting.set(id, resolve)
        say({ what: 'gather', id })
      })
      return await textOf(lists)
    },
  }
}

function say(message: ToParent): void {
  // Without a parent there is no receiver, and this process is about to end.
  if (process.connected) process.send?.(message)
}

/** Each value has the label `process`, so values of two processes are never added up. */
async function textOf(lists: readonly MetricList[]): Promise<string> {
  const added = lists.map(list => list.map(one => ({ ...one, aggregator: 'sum' })))
  const merged: Registry<RegistryContentType> = AggregatorRegistry.aggregate(added)
  return await merged.metrics()
}
