/** The parts of a platform, before and after they are opened. */
import type { Config } from './config.ts'
import type {
  Access,
  DemoTenant,
  DueQueue,
  Kernel,
  KernelOf,
  Keyring,
  Log,
  Opened,
  Route,
  SettingTable,
} from '#dodeca/kernel'
import type { TenantStates } from '../kernel/work/tenant-states.ts'
import type { Events } from '../kernel/events/open.ts'
import type { NatsSink } from '../kernel/events/sinks/nats.ts'
import type { NatsBus } from '../kernel/events/sinks/nats-bus.ts'
import type { Sockets } from '../kernel/http/server/sockets.ts'
import type { Faults } from '../kernel/faults.ts'
import type { CompiledRoute } from '../kernel/http/server/compile-route.ts'
import type { Operations } from '../kernel/http/tools/operations.ts'
import type { Perform, PerformDeps } from '../kernel/http/tools/perform.ts'
import type { AnySurface, Gathered } from './gather-declarations.ts'
import type { Connections } from '../kernel/http/server/connections.ts'
import type { DeprecatedCalls } from '../kernel/http/server/deprecated-calls.ts'
import type { RequestLog } from '../kernel/http/server/request-log.ts'
import type { Overload } from '../kernel/observability/overload.ts'
import type { Pulse } from '../kernel/work/pulse.ts'
import type { Sleepers } from '../kernel/work/topics.ts'
import type { Telemetry } from '../kernel/observability/telemetry.ts'
import type { Publish, Rights } from './events/publish-events.ts'
import type { Member } from './processes/member.ts'
import type { PublicFiles, PublicFolder } from './public-files.ts'

/** The first administrator of a new deployment. */
export type FirstAdministrator = { readonly email: string; readonly password: string }

/** The kernel as a surface sees it: with the settings that the surface declares, and no others. */
export type KernelFor = <Own extends SettingTable>(surface: {
  readonly settings: Own
}) => KernelOf<Own>

export type Composition = {
  readonly surfaces: readonly AnySurface[]
  /** The front end of an application. */
  readonly public?: PublicFolder
  /** Opens the surfaces in order and returns the surface that provides access control. */
  open(kernelFor: KernelFor): {
    /** The opened surfaces by name. */
    opened: Readonly<Record<string, Opened>>
    access: Access
    /**
     * Prepares everything that must be ready before the first request. All migrations have been
     * applied by then.
     */
    prepare?(administrator: FirstAdministrator | null): Promise<void>
    /** The tenants of the demo that exist. */
    demoTenants?(): Promise<readonly DemoTenant[]>
    /** Absent where there are no accounts: then events are published in the own tenant only. */
    rights?: Rights
  }
}

/** The modules with the doubles of the vendors of its surfaces. */
export function vendorsOf({ surfaces }: Composition): URL[] {
  return surfaces.flatMap(({ sandbox }) => sandbox ?? [])
}

export type PlatformOptions = {
  readonly config: Config
  readonly composition: Composition
  readonly database_url: string
  readonly direct_url: string
  readonly keys: Keyring
  readonly log: Log
  readonly telemetry: Telemetry
  readonly version: string
  /** The files of `composition.public`. */
  readonly files?: PublicFiles | null
  /** Set if this process is one of several. */
  readonly member?: Member | undefined
  /** For commands of an operator, whose statements may take as long as they need. */
  readonly unhurried?: boolean
}

/** What requests share, over HTTP and from inside. */
export type Requests = {
  routes(): readonly Route[]
  compiled(): readonly CompiledRoute[]
  deps(): PerformDeps & { readonly public_url: string }
  operations(): Operations
  performer(): Perform
  /** RFC 9728: where applications read how they get tokens for an API of this host. */
  metadataOf(resource: string): string | null
}

export type PlatformParts = {
  options: PlatformOptions
  gathered: Gathered
  faults: Faults
  kernel: Kernel
  /** The surfaces in the order in which they were opened. */
  opened: readonly Opened[]
  /** The same by name. */
  named: Readonly<Record<string, Opened>>
  access: Access
  events: Events
  overload: Overload
  tenants: TenantStates
  sink: NatsSink | null
  /** The NATS server, if NATS carries the bus. */
  nats_bus: NatsBus | null
  sockets: Sockets
  sleepers: Sleepers
  pulse: Pulse
  connections: Connections
  publish: Publish
  deprecatedCalls: DeprecatedCalls
  requestLog: RequestLog
  queues: readonly DueQueue[]
}
