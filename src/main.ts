/** Starts the platform for a person or a service manager, says what to open, and stops on a signal. */
import { loadConfig, type Config } from './config.ts'
import { StartError } from './kernel/start-error.ts'
import type { Administrator } from './first-administrator.ts'
import { start, type Running } from './start.ts'

const started = performance.now()
let running: Running | undefined
let stopping = false
let stopped_at = 0

process.on('SIGINT', stop)
process.on('SIGTERM', stop)
try {
  const config = loadConfig()
  running = await start(config, line => process.stderr.write(`  ${line}\n`))
  if (stopping) await end(running)
  else process.stdout.write(banner(config, running))
} catch (error) {
  fail(error)
}

/** A second signal ends at once: leases and records make that safe. One signal to a whole process
 * group can arrive twice (once through a launcher), so what follows within half a second is the same.
 */
function stop(): void {
  if (stopping && performance.now() - stopped_at > 500) process.exit(130)
  if (stopping) return
  stopping = true
  stopped_at = performance.now()
  if (running) void end(running)
}

async function end({ platform, stop: undo }: Running): Promise<void> {
  const limit_ms = platform.kernel.settings['kernel.shutdown_seconds'] * 1000
  setTimeout(() => process.exit(1), limit_ms).unref()
  try {
    await undo()
  } catch (error) {
    fail(error)
  }
  process.exit(0)
}

function fail(error: unknown): never {
  process.stderr.write(`\n${wordsOf(error)}\n`)
  process.exit(1)
}

function wordsOf(error: unknown): string {
  if (error instanceof StartError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A password that was made just now is shown this once; after that it is in its file. */
function wordsOn({ email, password, kept_in, made_now }: Administrator): string {
  if (made_now) return `${email}, password ${password} (kept in ${kept_in})`
  return kept_in ? `${email}, password in ${kept_in}` : `${email}, password from ADMIN_PASSWORD`
}

function banner(
  config: Config,
  { port, ground, migrated, platform, administrator }: Running,
): string {
  const url = config.public_url
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const lines = [
    ['API', url],
    ['Reference', `${url}/docs`],
    ...(config.profile === 'development' ? [['Helpers', `${url}/dev`]] : []),
    ...(ground.sandbox ? [['Mail inbox', `${url}/dev/inbox`]] : []),
    ['Health', `${url}/readyz`],
    ...(administrator ? [['Administrator', wordsOn(administrator)]] : []),
    [
      'Database',
      ground.embedded
        ? `embedded PostgreSQL in ${config.data_dir}${ground.joined ? ' (joined)' : ''}`
        : 'from DATABASE_URL',
    ],
  ]
  const width = Math.max(...lines.map(([name = '']) => name.length))
  const list = lines.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`)
  const done = migrated > 0 ? `, ${migrated} migrations applied` : ''
  return [
    '',
    `  Dodeca is ready on port ${port} after ${seconds} s (${config.profile}, ${config.roles.join(' + ')}${done}).`,
    '',
    ...list,
    '',
    `  ${platform.routes.length} operations. Ctrl-C stops everything.`,
    '',
    '',
  ].join('\n')
}
