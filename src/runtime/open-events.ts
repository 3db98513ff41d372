/** The event log of this process: its consumers, and the system to which it is published. */
import type { Kernel, Opened } from '#dodeca/kernel'
import type { OpenBus } from '../kernel/events/bus.ts'
import { traced } from '../kernel/events/consumers/traced.ts'
import { openEvents, type Events } from '../kernel/events/open.ts'
import { openNatsSink, type NatsSink } from '../kernel/events/sinks/nats.ts'
import { natsServersOf } from '../kernel/events/sinks/nats-servers.ts'
import type { PlatformOptions, PlatformParts } from './platform-parts.ts'

type EventParts = Pick<PlatformParts, 'sleepers' | 'pulse' | 'sink'> & { readonly bus: OpenBus }

export function eventsOf(
  { config, direct_url, log, telemetry }: PlatformOptions,
  kernel: Kernel,
  opened: readonly Opened[],
  { sink, ...parts }: EventParts,
): Events {
  return openEvents({
    db: kernel.db,
    direct_url,
    consumers: opened
      .flatMap(one => one.consumers ?? [])
      .map(consumer => traced(consumer, telemetry)),
    ...parts,
    types: kernel.declared.eventTypes,
    settings: config.settings,
    log,
    metrics: kernel.metrics,
    fault: kernel.fault,
    application_name: 'dodeca',
    sinks: sink ? [sink.listener] : [],
    work: config.roles.includes('worker'),
  })
}

export function sinkOf({ config, log }: PlatformOptions): NatsSink | null {
  if (config.settings['kernel.event_sink'] !== 'nats') return null
  const replicas = config.settings['kernel.nats_replicas']
  return openNatsSink({ servers: natsServersOf(config.settings), replicas, log })
}
