/** Starts the platform for a person or a service manager, says what to open, and stops on a signal. */
import type { Config } from '../config.ts'
import type { Composition } from '../kernel/parts.ts'
import { start, type Running } from '../start.ts'
import type { Command } from './command.ts'

export const startCommand: Command = {
  words: 'start',
  summary: 'Start the platform',
  options: {
    roles: { type: 'string', value: 'api,worker', says: 'What this process does (ROLES)' },
    port: { type: 'string', value: '<port>', says: 'Where it listens (PORT)' },
  },
  run: async call => {
    const roles = call.option('roles')
    const port = call.option('port')
    const config = call.config({
      ...(roles !== undefined && { ROLES: roles }),
      ...(port !== undefined && { PORT: port }),
    })
    await serve(config, call.composition, call.terminal.progress)
  },
}

/** Resolves when it was stopped by a signal; a second signal ends at once, which leases make safe. */
async function serve(
  config: Config,
  composition: Composition,
  progress: (line: string) => void,
): Promise<void> {
  const began = performance.now()
  let stopping = false
  const asked = new Promise<void>(resolve => {
    const stop = () => {
      if (stopping) process.exit(130)
      stopping = true
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
  const running = await start(config, line => progress(`  ${line}`), composition)
  if (!stopping) process.stdout.write(banner(config, running, performance.now() - began))
  await asked
  const limit_ms = config.settings['kernel.shutdown_seconds'] * 1000
  setTimeout(() => process.exit(1), limit_ms).unref()
  await running.stop()
  process.exit(0)
}

function banner(config: Config, running: Running, took_ms: number): string {
  const { port, ground, migrated, platform } = running
  const url = config.public_url
  const lines = [
    ['API', url],
    ['Reference', `${url}/docs`],
    ...(config.profile === 'development' ? [['Helpers', `${url}/dev`]] : []),
    ...(ground.sandbox ? [['Mail inbox', `${url}/dev/inbox`]] : []),
    ['Health', `${url}/readyz`],
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
    '',
  ].join('\n')
}

function databaseOf(config: Config, { ground }: Running): string {
  if (!ground.embedded) return 'from DATABASE_URL'
  return `embedded PostgreSQL in ${config.data_dir}${ground.joined ? ' (joined)' : ''}`
}
