#!/usr/bin/env node
/**
 * The `dodeca` command: makes sure that everything is installed, then starts the platform's own
 * Node with `src/cli.ts`, or `src/main.mjs` for `start`. It is plain JavaScript, because it runs on
 * any Node that is installed. It ends with the exit code or signal of the command.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled, compiledOf, ensureBundle } from '../scripts/bundle.mjs'
import { ensureInstalled, runtimeOf } from '../scripts/install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const [command, ...options] = process.argv.slice(2)
// A start from TypeScript would load Node's type stripper (20 MB) and keep it.
const { entry, source, given } =
  command === 'start'
    ? { entry: 'src/cli/main.ts', source: 'src/main.mjs', given: options }
    : { entry: 'src/cli.ts', source: 'src/cli.ts', given: process.argv.slice(2) }

let bundle
try {
  await ensureInstalled()
  bundle = bundled(entry)
  if (!bundle) {
    await ensureBundle()
    bundle = bundled(entry)
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

const node = runtimeOf(root)
const program = [bundle ?? join(root, source), ...given]
const env = {
  // Compiled code is cached for the next command, which then starts in half the time.
  NODE_COMPILE_CACHE: compiledOf(bundle),
  // With an arena for each thread, what a start has freed stays in memory: 10 MB.
  MALLOC_ARENA_MAX: '2',
  ...process.env,
}
const child = spawn(node, program, { stdio: 'inherit', env })

// A terminal sends its interrupt to the whole process group, so the command already has it; a
// second one would make it end without finishing its work.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT')
})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))

// npx runs this in a shell, which does not pass on its signals: when the shell ends, so does this.
const launcher = process.ppid
if (process.env.npm_command !== undefined) {
  setInterval(() => {
    if (process.ppid !== launcher) child.kill('SIGTERM')
  }, 250).unref()
}

child.on('error', error => {
  process.stderr.write(`The platform's Node cannot be started: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
