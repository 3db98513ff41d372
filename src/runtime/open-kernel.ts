/**
 * The kernel that surfaces see: one database, clock, keys, cursors, log and metrics for all of
 * them.
 */
import type { PlatformOptions, Requests } from './platform-parts.ts'
import { openCounted } from '../kernel/access/counted.ts'
import { openTake, openTakeEach } from '../kernel/access/take.ts'
import { openCsrf } from '../kernel/access/csrf.ts'
import { openSignedUrls } from '../kernel/access/signed-url.ts'
import { openObjects } from '../kernel/objects/open-objects.ts'
import { currentRequestId, currentTraceparent, openClock, openSafeFetch } from '#dodeca/kernel'
import type {
  Db,
  JobType,
  Kernel,
  KernelOf,
  Opened,
  Personal,
  SettingsOf,
  SettingTable,
} from '#dodeca/kernel'
import { currentCaller, currentWork } from '../kernel/observability/context.ts'
import { openDb, type DbOptions } from '../kernel/database/db.ts'
import { openPersonal } from '../kernel/work/export-and-erase.ts'
import { openPulse } from '../kernel/work/pulse.ts'
import { openSleepers } from '../kernel/work/topics.ts'
import { openBus } from '../kernel/events/bus.ts'
import type { Events } from '../kernel/events/open.ts'
import { openEventTypes } from '../kernel/events/event-types.ts'
import { openOutbox } from '../kernel/events/log/outbox.ts'
import type { Faults } from '../kernel/faults.ts'
import type { Gathered } from './gather-declarations.ts'
import { openCursors } from '../kernel/http/contract/cursor.ts'
import { openMetrics, type Metrics } from '../kernel/observability/metrics.ts'
import { watchOverload } from '../kernel/observability/overload.ts'
import { tracedBy } from '../kernel/observability/telemetry.ts'
import { kernelSettings } from '../kernel/settings.ts'
import type { SettingValues } from './config.ts'

/**
 * Two dependencies are circular. The event log needs the database, and a commit with events wakes
 * the log. Surfaces need the list of routes, and they declare the routes themselves. `tie` closes
 * both circles.
 */
export function openKernel(options: PlatformOptions, gathered: Gathered, faults: Faults) {
  const { config, keys, log } = options
  const { settings } = config
  const metrics = openMetrics()
  const overload = watchOverload({
    delay_ms: settings['kernel.overload_delay_ms'],
    refused: (reason, kind) => metrics.refused.inc({ reason, class: kind }),
  })
  const sleepers = openSleepers()
  const bus = openBus()
  let events: Events | undefined
  let requests: Requests | undefined
  let surfaces: Readonly<Record<string, Opened>> = {}
  let own_jobs: readonly JobType[] = []
  const { db, reserved } = databasesOf(options, gathered.declared, metrics, () => events)
  const personal = openPersonal({ db }, () => personalOf(surfaces))
  const kernel: Kernel = {
    profile: config.profile,
    public_url: config.public_url,
    data_dir: config.data_dir,
    settings,
    clock: openClock(),
    keys,
    cursors: openCursors(keys),
    take: openTake({ settings, keys, metrics }),
    takeEach: openTakeEach({ settings, keys }),
    counted: openCounted(),
    personal,
    csrf: openCsrf(keys, [new URL(config.public_url).origin, ...settings['kernel.cors_origins']]),
    signedUrls: openSignedUrls(keys),
    safeFetch: openSafeFetch({ ports: [443, 80, 8443], allow: [] }),
    objects: openObjects(settings, config.data_dir, faults.fault),
    log,
    metrics,
    fault: faults.fault,
    traced: tracedBy(options.telemetry),
    db,
    reserved,
    declared: {
      ...gathered.named,
      permissions: gathered.permissions,
      eventTypes: openEventTypes(gathered.declared),
      jobTypes: () => [...own_jobs, ...Object.values(surfaces).flatMap(one => one.jobTypes ?? [])],
      inbound: () => Object.values(surfaces).flatMap(one => one.inbound ?? []),
    },
    routes: () => known(requests).routes(),
    tools: () => known(requests).operations(),
    perform: asked => known(requests).performer().perform(asked),
    checkCall: asked => known(requests).performer().check(asked),
    refusal: asked => known(requests).performer().refusal(asked),
    wake: topics => events?.wake(topics && new Set(topics)),
    onWake: sleepers.on,
    bus,
    busy: overload.busy,
  }
  const tie = (
    opened: Events,
    of_requests: Requests,
    named: Readonly<Record<string, Opened>>,
    platform_jobs: readonly JobType[],
  ) => {
    own_jobs = platform_jobs
    events = opened
    requests = of_requests
    surfaces = named
    for (const one of Object.values(named)) one.connect?.()
  }
  const pulse = openPulse({ db: reserved, log, sleepers })
  return { kernel, tie, sleepers, bus, pulse, overload, queues: [personal.queue] }
}

function known(requests: Requests | undefined): Requests {
  if (!requests) throw new Error('the routes are known once all surfaces are open')
  return requests
}

function personalOf(surfaces: Readonly<Record<string, Opened>>): ReadonlyMap<string, Personal> {
  const all = Object.entries(surfaces)
  return new Map(all.flatMap(([name, one]) => (one.personal ? [[name, one.personal]] : [])))
}

/** `reserved` has one connection, which is opened when it is first used. */
function databasesOf(
  { config, log, database_url, unhurried = false }: PlatformOptions,
  declared: Gathered['declared'],
  metrics: Metrics,
  events: () => Events | undefined,
): { db: Db; reserved: Db } {
  const { settings } = config
  const origin = () => ({ traceparent: currentTraceparent(), written_by: currentWork() })
  const options: DbOptions = {
    url: database_url,
    pool: settings['kernel.database_pool'],
    prepare: settings['kernel.database_prepare'],
    pooled: Boolean(settings['kernel.database_direct_url']),
    wait_ms: settings['kernel.database_wait_ms'],
    // The network may take its time too.
    silence_ms: settings['kernel.statement_timeout_ms'] + 2000,
    unhurried,
    check_rows: config.profile === 'development',
    application_name: 'dodeca',
    outbox: openOutbox(declared, {
      origin,
      request_id: currentRequestId,
      caller: currentCaller,
    }),
    origin,
    committed: () => events()?.committed(),
    woken: topics => events()?.wake(topics),
    waited: seconds => metrics.poolWait.observe(seconds),
    lost: error => log.warn({ err: error }, 'an idle database connection was lost'),
  }
  const shared = openDb(options)
  const reserved = openDb({ ...options, pool: 1 })
  const close = async () => void (await Promise.all([shared.close(), reserved.close()]))
  return { db: { ...shared, close }, reserved }
}

/** The kernel with the settings of one surface in addition to its own. */
export function kernelFor<Own extends SettingTable>(
  kernel: Kernel,
  values: SettingValues,
  { settings }: { readonly settings: Own },
): KernelOf<Own> {
  const names = [...Object.keys(kernelSettings), ...Object.keys(settings)]
  const visible = Object.fromEntries(
    names.map(name => {
      if (!(name in values)) throw new Error(`the setting ${name} is in no table of the platform`)
      return [name, values[name]]
    }),
  )
  return { ...kernel, settings: visible as Kernel['settings'] & SettingsOf<Own> }
}
