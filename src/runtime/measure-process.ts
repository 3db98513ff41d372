/**
 * The metrics of this process that are measured only when a reader requests them: the metrics of
 * Node, its database connections, and the due queues of all surfaces. A process whose metrics are
 * not read does not measure them.
 */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Db, DueQueue } from '#dodeca/kernel'
import { countQueue } from '../kernel/work/operate-queues.ts'

/** Counting a queue reads its rows, so several readers share one count. */
const counted_for_ms = 15_000

export function processMeasures(db: Db, registry: Registry, queues: readonly DueQueue[]) {
  const { connections, rows, oldest } = gauges(registry)
  let begun = false
  let counted_ms = -Infinity
  return async (): Promise<void> => {
    if (!begun) collectDefaultMetrics({ register: registry })
    begun = true
    for (const [state, count] of Object.entries(db.load())) connections.set({ state }, count)
    if (performance.now() - counted_ms < counted_for_ms) return
    counted_ms = performance.now()
    for (const queue of queues) {
      const { queue: name, oldest_due_seconds, ...counts } = await countQueue(db, queue)
      for (const [state, count] of Object.entries(counts)) rows.set({ queue: name, state }, count)
      oldest.set({ queue: name }, oldest_due_seconds)
    }
  }
}

function gauges(registry: Registry) {
  const registers = [registry]
  return {
    connections: new Gauge({
      name: 'db_pool_connections',
      help: 'Database connections of this process, and requests that wait for one',
      labelNames: ['state'],
      registers,
    }),
    rows: new Gauge({
      name: 'due_queue_rows',
      help: 'Rows of a queue: due, later, leased (being worked on) or dead (given up)',
      labelNames: ['queue', 'state'],
      registers,
    }),
    oldest: new Gauge({
      name: 'due_queue_oldest_seconds',
      help: 'How long the oldest due row of a queue has waited',
      labelNames: ['queue'],
      registers,
    }),
  }
}
