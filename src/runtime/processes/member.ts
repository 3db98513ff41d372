/**
 * A process as one of several: tells the parent when it is ready, stops on the
 * parent's word, and shares its metrics. A member ends when its parent has ended, however that
 * happened (node:cluster ends it when the channel closes).
 */
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client'
import type { StartFacts } from '../start-facts.ts'
import type { MetricList, Place, ToMember, ToParent } from './messages.ts'

export type Member = Place & {
  ready(facts: StartFacts): void
  /** Resolves when the message has been written: the process may end then. */
  failed(message: string): Promise<void>
  onStop(stop: () => void): void
  /** Each value of the registry gets the label `process`; `measure` updates them. */
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
      // The parent goes on without a process that cannot measure, such as one without a database.
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
  // Without a parent there is nobody to tell, and this process is about to end.
  if (process.connected) process.send?.(message)
}

/** Each value has the label `process`, so no two of them are added up. */
async function textOf(lists: readonly MetricList[]): Promise<string> {
  const added = lists.map(list => list.map(one => ({ ...one, aggregator: 'sum' })))
  const merged: Registry<RegistryContentType> = AggregatorRegistry.aggregate(added)
  return await merged.metrics()
}
