/**
 * Connects the event machinery of one process: wake-ups after a commit, the sequencer and the
 * consumers. A process that only serves requests runs no sequencer and no consumers. It only wakes
 * the processes that do.
 */
import type { KernelSettings } from '../settings.ts'
import type { Db } from '../database/db.ts'
import type { Topics } from '../database/direct.ts'
import type { Fault } from '../faults.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Retention } from '../work/retention.ts'
import type { OpenBus } from './bus.ts'
import type { Consumer } from './consumer.ts'
import { Consumers } from './consumers/consumers.ts'
import { typesOf, type Listener } from './consumers/listener.ts'
import { measureLag } from './consumers/lag.ts'
import { refusalsBy, type EventTypes } from './event-types.ts'
import type { Interest } from './consumers/leases.ts'
import { kernelRetention } from './log/retention.ts'
import { Sequencer } from './log/sequencer.ts'
import { sql } from '../database/sql.ts'
import { head_position, parksDue } from './log/read.ts'
import type { Pulse } from '../work/pulse.ts'
import { openSleepers, type Sleepers } from '../work/topics.ts'
import { openWake } from './wake.ts'

const outbox_topic = 'kernel.outbox'
const log_topic = 'kernel.events'
const parks_topic = 'kernel.parks'

export type EventsOptions = {
  db: Db
  direct_url: string
  application_name: string
  consumers: readonly Consumer[]
  /** Another system to which the log is published. */
  sinks?: readonly Listener[]
  /** The other work that waits in this process, apart from the event log. */
  sleepers?: Sleepers
  /** Hints between processes. PostgreSQL carries them unless another transport is attached. */
  bus?: OpenBus
  /** Finds work whose notification was lost. */
  pulse?: Pick<Pulse, 'add'>
  types: EventTypes
  settings: Pick<
    KernelSettings,
    | 'kernel.database_pool'
    | 'kernel.park_schedule'
    | 'kernel.events_retention_days'
    | 'kernel.inbox_retention_days'
  >
  log: Log
  metrics: Metrics
  fault: Fault
  /**
   * Whether this process sequences and consumes events. Otherwise it only wakes the processes that
   * do.
   */
  work: boolean
}

export type Events = {
  /** Called when a commit with events is durable in this process. */
  committed(): void
  wake(topics?: Topics): void
  onWake(run: () => void, topics?: readonly string[]): () => void
  start(): Promise<void>
  /** Ends the running batches and releases leases and leadership. */
  stop(): Promise<void>
  /** The event types that each consumer and sink of the code listens for. */
  readonly interests: readonly Interest[]
  readonly retention: readonly Retention[]
  /** Updates the gauges of outbox, consumers and parks. */
  measure(): Promise<void>
}

export function openEvents(options: EventsOptions): Events {
  const { db, log, fault, application_name, settings } = options
  const listeners: Listener[] = [...options.consumers, ...(options.sinks ?? [])]
  const interests = listeners.map(one => ({ consumer: one.name, types: typesOf(one) }))
  const { sleepers = openSleepers() } = options
  const { bus } = options
  const wake = openWake({ url: options.direct_url, application_name, log }, sleepers, bus)
  bus?.attach({ packet_bytes: 7500, send: wake.publish })
  const consumers = new Consumers({
    db,
    log,
    fault,
    listeners,
    refusalOf: refusalsBy(options.types),
    park_schedule: settings['kernel.park_schedule'],
    concurrency: Math.max(1, Math.floor(settings['kernel.database_pool'] * 0.6)),
  })
  const sequencer = new Sequencer({
    url: options.direct_url,
    application_name,
    log,
    fault,
    sequenced: () => {
      consumers.poke()
      wake.notify(new Set([log_topic]))
    },
  })
  if (options.work) {
    sleepers.on(() => sequencer.poke(), [outbox_topic])
    sleepers.on(() => consumers.poke(), [log_topic])
    sleepers.on(() => consumers.pokeParks(), [parks_topic])
    options.pulse?.add([
      { topic: outbox_topic, due: sql`select exists (select from kernel.outbox_events)` },
      { topic: log_topic, value: sql`select ${head_position}` },
      { topic: parks_topic, due: parksDue(listeners.map(one => one.name)) },
    ])
  }
  return {
    committed: () => {
      sequencer.poke()
      wake.notify(new Set([outbox_topic]))
    },
    wake: wake.wake,
    onWake: sleepers.on,
    start: async () => {
      if (options.work) {
        sequencer.start()
        await consumers.start()
      }
      await wake.start()
    },
    stop: async () => {
      await consumers.stop()
      await sequencer.stop()
      await wake.stop()
    },
    interests,
    retention: kernelRetention({ consumers: listeners.map(one => one.name), settings }),
    measure: () => measureLag(db, interests, options.metrics),
  }
}
