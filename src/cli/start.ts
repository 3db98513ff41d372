/**
 * Starts the platform for a person or a service manager, prints what to open, and stops on a
 * signal.
 */
import type { Config } from '../runtime/config.ts'
import type { Administrator } from '../runtime/first-administrator.ts'
import type { Running } from '../runtime/start.ts'
import type { Call, Command } from './command.ts'
import { letYoungSpaceGrow } from './young-space.ts'

const same_signal_ms = 500

export const startCommand: Command = {
  words: 'start',
  summary: 'Start the platform',
  options: {
    roles: { type: 'string', value: 'api,worker', says: 'The work of this process (ROLES)' },
    port: { type: 'string', value: '<port>', says: 'The port that it listens on (PORT)' },
  },
  run: async call => {
    const roles = call.option('roles')
    const port = call.option('port')
    const config = call.config({
      ...(roles !== undefined && { ROLES: roles }),
      ...(port !== undefined && { PORT: port }),
    })
    await serve(config, call)
  },
}

/**
 * Waits for a signal. A second one ends the process at once, which leases and records make safe.
 * One signal to a process group can arrive twice (once through a launcher), so a second one right
 * after the first is ignored.
 */
async function serve(config: Config, { composition, terminal }: Call): Promise<void> {
  const began = performance.now()
  let stopped_at = Number.POSITIVE_INFINITY
  const asked = new Promise<void>(resolve => {
    const stop = () => {
      if (performance.now() - stopped_at > same_signal_ms) process.exit(130)
      stopped_at = Math.min(stopped_at, performance.now())
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
  const { start } = await import('../runtime/start.ts')
  const progress = (line: string) => terminal.progress(`  ${line}`)
  const running = await start(config, progress, await composition())
  letYoungSpaceGrow()
  if (stopped_at === Number.POSITIVE_INFINITY) {
    const { port } = running
    const facts = { port, public_url: config.public_url, pid: process.pid }
    terminal.answer(facts, banner(config, running, performance.now() - began))
  }
  await asked
  const limit_ms = config.settings['kernel.shutdown_seconds'] * 1000
  setTimeout(() => process.exit(1), limit_ms).unref()
  await running.stop()
  process.exit(0)
}

function banner(config: Config, running: Running, took_ms: number): string[] {
  const { port, ground, migrated, platform, administrator } = running
  const url = config.public_url
  const lines = [
    ['API', url],
    ['Reference', `${url}/docs`],
    ...(platform.routes.some(({ path }) => path === '/account/')
      ? [['Account', `${url}/account/`]]
      : []),
    ...(config.profile === 'development' ? [['Helpers', `${url}/dev`]] : []),
    ...(ground.sandbox ? [['Mail inbox', `${url}/dev/inbox`]] : []),
    ['Health', `${url}/readyz`],
    ...(administrator ? [['Administrator', wordsOn(administrator)]] : []),
    ['Database', databaseOf(config, running)],
  ]
  const width = Math.max(...lines.map(([name = '']) => name.length))
  const done = migrated > 0 ? `, ${migrated} migrations applied` : ''
  const seconds = (took_ms / 1000).toFixed(1)
  return [
    '',
    `  Dodeca is ready on port ${port} after ${seconds} s (${config.profile}, ${config.roles.join(' + ')}${done}).`,
    '',
    ...lines.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`),
    '',
    `  ${platform.routes.length} operations. Ctrl-C stops everything.`,
    '',
  ]
}

/**
 * A generated password is printed only at the start that made it; after that it is only in its
 * file.
 */
function wordsOn({ email, password, kept_in, made_now }: Administrator): string {
  if (made_now) return `${email}, password ${password} (stored in ${kept_in})`
  return kept_in ? `${email}, password in ${kept_in}` : `${email}, password from ADMIN_PASSWORD`
}

function databaseOf(config: Config, { ground }: Running): string {
  if (!ground.embedded) return 'from DATABASE_URL'
  return `embedded PostgreSQL in ${config.data_dir}${ground.joined ? ' (joined)' : ''}`
}
