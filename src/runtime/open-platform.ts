/**
 * Creates the parts of the kernel and connects the surfaces. Nothing runs until `start`. `stop`
 * works in an order that loses nothing: refuse, drain, end streams, finish requests, release
 * leases.
 */
import { clientAddress, otherOrigins } from '#dodeca/kernel'
import type { DueQueue, Kernel, Opened, Route } from '#dodeca/kernel'
import { openTenantStates } from '../kernel/work/tenant-states.ts'
import type { Events } from '../kernel/events/open.ts'
import { currentAbout } from '../kernel/observability/context.ts'
import { openFaults, type Faults } from '../kernel/faults.ts'
import { sealedOutcomes } from '../kernel/work/sealed-outcomes.ts'
import { checkLists } from '../kernel/http/lists/check-lists.ts'
import { checkViolations } from '../kernel/http/server/violations.ts'
import { checkKeyring } from './check-keyring.ts'
import { gather } from './gather-declarations.ts'
import { openConnections } from '../kernel/http/server/connections.ts'
import { openDeprecatedCalls } from '../kernel/http/server/deprecated-calls.ts'
import { openRequestLog } from '../kernel/http/server/request-log.ts'
import { buildApp } from '../kernel/http/server/app.ts'
import type { Sockets } from '../kernel/http/server/sockets.ts'
import { natsBusOf, socketsOf } from './open-sockets.ts'
import { openApiDocument } from '../kernel/http/openapi/document.ts'
import { docsPages } from './docs/mount.ts'
import { publishJob } from './events/publish-job.ts'
import { openPublish, type Rights } from './events/publish-events.ts'
import { lifecycle } from './lifecycle.ts'
import { natsAdvice, natsServersOf } from '../kernel/events/sinks/nats-servers.ts'
import { lazily } from './lazily.ts'
import { eventsOf, sinkOf } from './open-events.ts'
import { openRequests } from './open-requests.ts'
import { kernelFor, openKernel } from './open-kernel.ts'
import { publicFront } from './public-front.ts'
import type {
  Composition,
  FirstAdministrator,
  KernelFor,
  PlatformOptions,
  PlatformParts,
  Requests,
} from './platform-parts.ts'

export type Platform = {
  readonly kernel: Kernel
  readonly kernelFor: KernelFor
  readonly routes: readonly Route[]
  readonly sockets: Sockets
  /** The opened surfaces by name. */
  readonly opened: Readonly<Record<string, Opened>>
  readonly events: Events
  readonly faults: Faults
  /** The due queues of the kernel and of all surfaces. */
  readonly queues: readonly DueQueue[]
  document(): string
  /** Creates the demo data that is missing, and returns a list of it. */
  seed(): Promise<string[]>
  /** Throws if the keys differ from the keys of the database. */
  checkKeys(): Promise<void>
  /** Prepares everything that must be ready before the first request. */
  prepare(administrator: FirstAdministrator | null): Promise<void>
  /** Advice for the operator at the start: one sentence for each point, with the next step. */
  advice(): Promise<readonly string[]>
  /** Starts the work of the process's roles, then listens. Returns the port. */
  start(): Promise<number>
  stop(): Promise<void>
}

export function openPlatform(options: PlatformOptions): Platform {
  const { config, composition } = options
  const gathered = gather(composition.surfaces)
  const faults = openFaults(config.settings['kernel.faults'], currentAbout)
  const { kernel, tie, overload, ...more } = openKernel(options, gathered, faults)
  const { sleepers, bus, pulse, queues } = more
  const ofSurface: KernelFor = surface => kernelFor(kernel, config.settings, surface)
  const named = composition.open(ofSurface)
  const { access, prepare } = named
  const opened = Object.values(named.opened)
  const sink = sinkOf(options)
  const rights = named.rights ?? no_rights
  const publish = openPublish({ kernel, isOpen: rights.isOpen })
  const events = eventsOf(options, kernel, opened, { sleepers, bus, pulse, sink })
  const stopping = new AbortController()
  const requests = openRequests(
    () => parts,
    () => document(),
    stopping.signal,
  )
  tie(events, requests, named.opened, [publishJob(publish, rights)])
  const connections = openConnections(config.public_url)
  const parts: PlatformParts = {
    options,
    gathered,
    faults,
    kernel,
    opened,
    access,
    events,
    overload,
    sink,
    nats_bus: natsBusOf(options, bus),
    sockets: socketsOf(options, kernel, opened, overload, connections),
    sleepers,
    pulse,
    publish,
    connections,
    ...requestParts(kernel, named),
    queues: [...queues, ...opened.flatMap(one => one.queues ?? [])],
  }
  const document = lazily(() => makeDocument(parts, requests.routes(), named.opened))
  const server = () => serverOf(parts, requests, document)
  return {
    kernel,
    kernelFor: ofSurface,
    get routes() {
      return requests.routes()
    },
    sockets: parts.sockets,
    opened: named.opened,
    events,
    faults,
    queues: parts.queues,
    document,
    seed: () => seed(named),
    ...preparation(parts, prepare),
    ...lifecycle(parts, server, stopping),
  }
}

/** Without accounts there are no rights. */
const no_rights: Rights = {
  isOpen: () => Promise.resolve(false),
  grantsOf: (_reader, holders) => Promise.resolve(holders.map(() => new Set<string>())),
}

/** Each surface in its order: the tenants of the demo exist after the first one. */
async function seed({ opened, demoTenants }: ReturnType<Composition['open']>): Promise<string[]> {
  const made: string[] = []
  for (const one of Object.values(opened)) {
    if (one.seed) made.push(...(await one.seed((await demoTenants?.()) ?? [])))
  }
  return made
}

function requestParts(
  kernel: Kernel,
  { opened: named }: ReturnType<Composition['open']>,
): Pick<PlatformParts, 'tenants' | 'deprecatedCalls' | 'requestLog' | 'named'> {
  return {
    tenants: openTenantStates(kernel),
    deprecatedCalls: openDeprecatedCalls(kernel),
    requestLog: openRequestLog(kernel),
    named,
  }
}

function preparation(
  { options, kernel, opened, gathered, sink, nats_bus }: PlatformParts,
  prepare: ((administrator: FirstAdministrator | null) => Promise<void>) | undefined,
): Pick<Platform, 'checkKeys' | 'prepare' | 'advice'> {
  const sealed = [sealedOutcomes, ...opened.flatMap(one => one.sealed ?? [])]
  const checkKeys = () => checkKeyring({ db: kernel.db, keys: kernel.keys, sealed })
  return {
    checkKeys,
    prepare: async administrator => {
      await checkKeys()
      await checkLists(
        kernel.db,
        opened.flatMap(one => one.routes),
      )
      await checkViolations(kernel.db, gathered.catalog)
      await prepare?.(administrator)
    },
    advice: async () => {
      const asked = opened.map(async one => (await one.advice?.()) ?? [])
      if (sink || nats_bus) asked.push(natsAdvice(natsServersOf(options.config.settings)))
      return (await Promise.all(asked)).flat()
    },
  }
}

function makeDocument(
  { options, gathered }: PlatformParts,
  routes: readonly Route[],
  opened: Readonly<Record<string, Opened>>,
): string {
  const sections = options.composition.surfaces.map(({ name, reference }) => ({
    name,
    reference,
    routes: opened[name]?.routes ?? [],
  }))
  return JSON.stringify(
    openApiDocument({
      routes,
      sections,
      catalog: gathered.catalog,
      permissions: gathered.permissions,
      version: options.version,
      public_url: options.config.public_url,
    }),
  )
}

function serverOf(parts: PlatformParts, requests: Requests, document: () => string) {
  const { options, kernel, opened } = parts
  const { config, composition } = options
  const ofSurfaces = config.roles.includes('api') ? opened.flatMap(one => one.front ?? []) : []
  const pages = config.roles.includes('api')
    ? docsPages(document, composition.surfaces, config.public_url)
    : []
  const served = [...requests.routes(), ...pages].map(({ path }) => path)
  const files = options.files
    ? [publicFront(options.files, { config, kernel, served, ofSurfaces })]
    : []
  const { settings } = config
  return buildApp({
    ...requests.deps(),
    routes: requests.compiled(),
    pages,
    clock: kernel.clock,
    csrf: kernel.csrf,
    telemetry: options.telemetry,
    addressOf: clientAddress(settings['kernel.trusted_proxies']),
    refusal: parts.overload.refusal,
    metadataOf: requests.metadataOf,
    body_seconds: settings['kernel.body_seconds'],
    headers_seconds: settings['kernel.headers_seconds'],
    idle_seconds: settings['kernel.idle_seconds'],
    connections: parts.connections,
    sockets: parts.sockets,
    heartbeat_ms: settings['kernel.sse_heartbeat_seconds'] * 1000,
    stall_ms: settings['kernel.sse_stall_seconds'] * 1000,
    secure: config.public_url.startsWith('https:'),
    origins: otherOrigins(config.profile, settings['kernel.cors_origins']),
    fronts: [...files, ...ofSurfaces],
  })
}
