/** The live connections of a process: its WebSockets, and the bus if NATS carries it. */
import { clientAddress, type Kernel, type Opened } from '#dodeca/kernel'
import type { OpenBus } from '../kernel/events/bus.ts'
import { openNatsBus, type NatsBus } from '../kernel/events/sinks/nats-bus.ts'
import { natsServersOf } from '../kernel/events/sinks/nats-servers.ts'
import type { Connections } from '../kernel/http/server/connections.ts'
import { openSockets, type Sockets } from '../kernel/http/server/sockets.ts'
import type { Overload } from '../kernel/observability/overload.ts'
import type { PlatformOptions } from './platform-parts.ts'

/** If NATS carries the bus, PostgreSQL does not. */
export function natsBusOf({ config, log }: PlatformOptions, bus: OpenBus): NatsBus | null {
  if (config.settings['kernel.bus'] !== 'nats') return null
  const carrier = openNatsBus({ servers: natsServersOf(config.settings), log }, bus)
  bus.attach(carrier)
  return carrier
}

export function socketsOf(
  { config, log }: PlatformOptions,
  kernel: Kernel,
  opened: readonly Opened[],
  overload: Overload,
  connections: Connections,
): Sockets {
  const { settings } = config
  return openSockets({
    routes: config.roles.includes('api') ? opened.flatMap(one => one.sockets ?? []) : [],
    refusal: overload.refusal,
    addressOf: clientAddress(settings['kernel.trusted_proxies']),
    throttle_loopback: settings['kernel.throttle_loopback'],
    rate_factor: settings['kernel.rate_factor'],
    limited: () => kernel.metrics.rateLimited.inc({ class: 'socket' }),
    connections,
    public_url: config.public_url,
    log,
  })
}
