#!/usr/bin/env node
/**
 * The `dodeca` command: starts the platform's own Node with `src/cli.ts`, or `src/main.mjs` for
 * `start`. In a checkout it makes sure before that everything is installed; a package has its
 * bundle, and npm has installed the rest. It is plain JavaScript, because it runs on any Node that
 * is installed. It ends with the exit code or signal of the command.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire, enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const [command, ...options] = process.argv.slice(2)
// A start from TypeScript would load Node's type stripper (20 MB) and keep it.
const { entry, source, given } =
  command === 'start'
    ? { entry: 'src/cli/main.ts', source: 'src/main.mjs', given: options }
    : { entry: 'src/cli.ts', source: 'src/cli.ts', given: process.argv.slice(2) }

async function ofCheckout() {
  const { bundled, compiledOf, ensureBundle } = await import('../scripts/bundle.mjs')
  const { ensureInstalled, runtimeOf } = await import('../scripts/install.mjs')
  await ensureInstalled()
  if (!bundled(entry)) await ensureBundle()
  const bundle = bundled(entry)
  const program = bundle ?? join(root, source)
  return { node: runtimeOf(root), program, compiled: compiledOf(bundle) }
}

/** npm has installed the Node that the platform runs on, unless it was asked not to. */
function ofPackage() {
  const dist = join(root, 'dist')
  const program = join(dist, `${entry.replace('.ts', '').replaceAll('/', '-')}.mjs`)
  const compiled = join(isWritable(dist) ? dist : tmpdir(), 'node-compile-cache')
  const [major, minor] = process.version.slice(1).split('.').map(Number)
  const node = major === 24 && minor >= 11 ? process.execPath : nodePackage()
  if (node) return { node, program, compiled }
  throw new Error(
    `Dodeca runs on Node 24.11 or a later version 24, and this is ${process.version}. ` +
      'Install that, or add it to your application: npm install node@24.21.0',
  )
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function nodePackage() {
  try {
    const described = createRequire(import.meta.url).resolve('node/package.json')
    const path = join(dirname(described), 'bin/node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

const packed = !existsSync(join(root, 'src/cli.ts'))
let run
try {
  run = packed ? ofPackage() : await ofCheckout()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

// npx runs this in a shell, which does not pass on its signals: when the shell ends, so does this.
const launcher = process.ppid
function endWithLauncher(end) {
  if (process.env.npm_command === undefined) return
  setInterval(() => {
    if (process.ppid !== launcher) end()
  }, 250).unref()
}

if (packed && command === 'start' && run.node === process.execPath) {
  // No second process, which would take 50 MB.
  enableCompileCache(run.compiled)
  process.argv = [run.node, run.program, ...given]
  endWithLauncher(() => process.kill(process.pid, 'SIGTERM'))
  await import(pathToFileURL(run.program).href)
} else {
  spawnProgram()
}

function spawnProgram() {
  const env = {
    // Compiled code is cached for the next command, which then starts in half the time.
    NODE_COMPILE_CACHE: run.compiled,
    // With an arena for each thread, what a start has freed stays in memory: 10 MB.
    MALLOC_ARENA_MAX: '2',
    ...process.env,
  }
  const child = spawn(run.node, [run.program, ...given], { stdio: 'inherit', env })

  // A terminal sends its interrupt to the whole process group, so the command already has it; a
  // second one would make it end without finishing its work.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  endWithLauncher(() => child.kill('SIGTERM'))

  child.on('error', error => {
    process.stderr.write(`The platform's Node cannot be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
