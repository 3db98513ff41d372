/**
 * Starts the platform for a person or a service manager, prints the addresses to open, and stops on
 * a signal. If there are several processes, a parent starts this same command for each of them.
 */
import { vendorsOf } from '../runtime/platform-parts.ts'
import { ownPlace, type Config } from '../runtime/config.ts'
import type { Administrator } from '../runtime/first-administrator.ts'
import { refuseUnknownPoints } from '../runtime/dev/fault-points.ts'
import type { Place } from '../runtime/processes/messages.ts'
import { placesOf } from '../runtime/processes/places.ts'
import type { supervise as Supervise } from '../runtime/processes/supervise.ts'
import type { Running } from '../runtime/start.ts'
import type { StartFacts } from '../runtime/start-facts.ts'
import type { Call, Command } from './command.ts'
import { letYoungSpaceGrow } from './young-space.ts'

const same_signal_ms = 500

export const startCommand: Command = {
  words: 'start',
  summary: 'Start the platform',
  options: {
    roles: { type: 'string', value: 'api,worker', says: 'The work of this process (ROLES)' },
    port: { type: 'string', value: '<port>', says: 'The port that it listens on (PORT)' },
    processes: {
      type: 'string',
      value: '<number>|auto',
      says: 'How many processes share the port (PROCESSES)',
    },
    check: {
      type: 'boolean',
      says: 'Only check the settings: print every fault, and touch nothing',
    },
  },
  run: async call => {
    const place = ownPlace()
    if (place) return await serveAsMember(place, call)
    const config = call.config(overrides(call))
    const faults = config.settings['kernel.faults']
    if (faults !== '') refuseUnknownPoints(faults, (await call.composition()).surfaces)
    if (call.flag('check')) {
      return call.terminal.answer({ ok: true }, ['The settings are complete. Nothing was started.'])
    }
    const { supervise } = await import('../runtime/processes/supervise.ts')
    const places = placesOf(config)
    await (places.length > 1 ? serveTogether(config, places, call, supervise) : serve(config, call))
  },
}

/** The values from the command line, under the names of the variables. */
function overrides(call: Call): Record<string, string> {
  const given = ['roles', 'port', 'processes'].map(name => [name.toUpperCase(), call.option(name)])
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

async function serve(config: Config, { composition, terminal }: Call): Promise<void> {
  const began = performance.now()
  const signal = awaitSignal(() => process.exit(130))
  const { factsOf, start } = await import('../runtime/start.ts')
  const progress = (line: string) => terminal.progress(`  ${line}`)
  const running = await start(config, progress, await composition())
  letYoungSpaceGrow()
  if (!signal.arrived()) {
    const work = config.roles.join(' + ')
    announce(config, factsOf(running), work, performance.now() - began, terminal)
  }
  await stopInOrder(config, running, await signal.asked)
}

/** The parent. It answers no requests: it starts the other processes and stops them in order. */
async function serveTogether(
  config: Config,
  places: readonly Place[],
  { composition, terminal }: Call,
  supervise: typeof Supervise,
): Promise<void> {
  const began = performance.now()
  let kill = () => {}
  const signal = awaitSignal(() => {
    kill()
    process.exit(130)
  })
  const vendors = vendorsOf(await composition())
  const progress = (line: string) => terminal.progress(`  ${line}`)
  const supervised = await supervise(config, places, progress, vendors)
  ;({ kill } = supervised)
  if (!signal.arrived()) {
    announce(config, supervised.facts, workOf(places), performance.now() - began, terminal)
  }
  await signal.asked
  process.exit((await supervised.stop()) ? 0 : 1)
}

/**
 * One of several processes. A terminal sends its interrupt to all of them, so a member ignores the
 * interrupt, and the parent stops the members in order. SIGTERM stops only this process, and the
 * parent starts it again.
 */
async function serveAsMember(place: Place, call: Call): Promise<void> {
  const { openMember } = await import('../runtime/processes/member.ts')
  const member = openMember(place)
  process.on('SIGINT', () => {})
  let stop = () => {}
  const asked = new Promise<void>(resolve => {
    stop = resolve
  })
  process.on('SIGTERM', stop)
  member.onStop(stop)
  try {
    const config = call.config({ ROLES: place.roles.join(','), PORT: String(place.port) })
    const { factsOf, start } = await import('../runtime/start.ts')
    const running = await start(config, () => {}, await call.composition(), member)
    letYoungSpaceGrow()
    member.ready(factsOf(running))
    await asked
    await stopInOrder(config, running, 'SIGTERM')
  } catch (error) {
    await member.failed(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}

/**
 * Waits for a signal. A second signal ends the process immediately. This is safe, because leases
 * and records survive. One signal to a process group can arrive twice (once through a launcher). So
 * a second signal right after the first is ignored.
 */
function awaitSignal(second: () => void) {
  let stopped_at = Number.POSITIVE_INFINITY
  const asked = new Promise<NodeJS.Signals>(resolve => {
    const stop = (signal: NodeJS.Signals) => {
      if (performance.now() - stopped_at > same_signal_ms) second()
      stopped_at = Math.min(stopped_at, performance.now())
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
  return { asked, arrived: () => stopped_at !== Number.POSITIVE_INFINITY }
}

async function stopInOrder(config: Config, { log, stop }: Running, signal: string): Promise<never> {
  const began = performance.now()
  log.info({ signal }, 'stopping')
  const cut = () => {
    log.error('the stop took longer than KERNEL_SHUTDOWN_SECONDS and was cut off')
    process.exit(1)
  }
  setTimeout(cut, config.settings['kernel.shutdown_seconds'] * 1000).unref()
  await stop()
  log.info({ ms: Math.round(performance.now() - began) }, 'stopped')
  process.exit(0)
}

function announce(
  config: Config,
  facts: StartFacts,
  work: string,
  took_ms: number,
  terminal: Call['terminal'],
): void {
  const { port } = facts
  const started = { port, public_url: config.public_url, pid: process.pid }
  terminal.answer(started, banner(config, facts, work, took_ms))
}

/** Text such as `2 api processes, 1 worker process`. */
function workOf(places: readonly Place[]): string {
  const kinds = Map.groupBy(places, ({ roles }) => roles.join(' + '))
  return [...kinds]
    .map(([roles, { length }]) => `${length} ${roles} process${length > 1 ? 'es' : ''}`)
    .join(', ')
}

function banner(config: Config, facts: StartFacts, work: string, took_ms: number): string[] {
  const { port, migrated, administrator, operations, advice } = facts
  const url = config.public_url
  const lines = [
    ['API', url],
    ...(facts.has_console ? [['Console', `${url}/console`]] : []),
    ['Documentation', `${url}/docs`],
    ...(facts.has_account_page ? [['Account', `${url}/account/`]] : []),
    ...(config.profile === 'development' ? [['Helpers', `${url}/dev`]] : []),
    ...(facts.sandbox ? [['Mail inbox', `${url}/dev/inbox`]] : []),
    ['Health', `${url}/readyz`],
    ...(administrator ? [['Administrator', wordsOn(administrator)]] : []),
    ['Database', databaseOf(config, facts)],
    ...advice.map(sentence => ['Note', sentence]),
  ]
  const width = Math.max(...lines.map(([name = '']) => name.length))
  const done = migrated > 0 ? `, ${migrated} migration${migrated === 1 ? '' : 's'} applied` : ''
  const seconds = (took_ms / 1000).toFixed(1)
  return [
    '',
    `  Dodeca is ready on port ${port} after ${seconds} s (${config.profile}, ${work}${done}).`,
    '',
    ...lines.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`),
    '',
    `  ${operations} operations. Ctrl-C stops everything.`,
    '',
  ]
}

/**
 * Only the start that generated the password prints it. After that the password is only in its
 * file.
 */
function wordsOn({ email, password, kept_in, made_now }: Administrator): string {
  if (made_now) return `${email}, password ${password} (stored in ${kept_in})`
  return kept_in ? `${email}, password in ${kept_in}` : `${email}, password from ADMIN_PASSWORD`
}

function databaseOf(config: Config, { embedded, joined }: StartFacts): string {
  if (!embedded) return 'from DATABASE_URL'
  return `embedded PostgreSQL in ${config.data_dir}${joined ? ' (joined)' : ''}`
}
