/**
 * Makes sure that the packages of package-lock.json are installed, before anything of the platform
 * runs. So it is plain JavaScript with Node's own modules, for any Node 20 or newer. The stamp is
 * written last: an interrupted installation is repeated. One process installs, the others wait.
 * The platform needs the `runtime` packages; tests and benchmarks need `all` of them. Node itself is
 * one of them (127 MB, a peer dependency) and is left out where the platform runs on the person's own.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { identityOf, isAlive, linkText, pause, underLock } from './lock.mjs'

const project = fileURLToPath(new URL('..', import.meta.url))
const runtime_major = 24
/** The first release of it with long-term support. */
const least_minor = 11

/** If that is not possible, throws an Error with one plain sentence. */
export async function ensureInstalled(
  kind = 'runtime',
  root = project,
  say = line => process.stderr.write(line),
) {
  if (isInstalled(root, kind)) return
  const isDone = () => isInstalled(root, kind)
  await underLock(
    root,
    'installing the packages',
    isDone,
    folder => prepare(root, kind, folder, say),
    say,
  )
}

async function prepare(root, kind, folder, say) {
  // A start that installs again must not take the tools of the tests away.
  if (installedKind(root) === 'all') kind = 'all'
  await endFormerNpm(join(folder, 'npm'))
  const runs = (await runtimeVersion(root)).startsWith(`v${runtime_major}.`)
  const present = runs && ['all', kind].find(one => matchesLock(root, one))
  if (!present) await install(root, kind, folder, say)
  await checkRuntime(root)
  const all = present === 'all' || kind === 'all'
  const less = fs.existsSync(npmsNode(root)) ? 'runtime' : 'own-node'
  fs.mkdirSync(join(root, 'node_modules'), { recursive: true })
  const { removeUnusedFiles } = await import('./unused-files.mjs')
  removeUnusedFiles(root)
  fs.writeFileSync(stampOf(root), `${all ? 'all' : less} ${fingerprint(root)}`)
}

const stampOf = root => join(root, 'node_modules', '.dodeca-installed')
const npmsNode = root => join(root, 'node_modules', '.bin', 'node')

/** The Node on which the platform runs: the one of the lock file, or the person's own. */
export function runtimeOf(root) {
  return fs.existsSync(npmsNode(root)) || !hasOwnNode(root) ? npmsNode(root) : process.execPath
}

/** Node from node_modules is no Node of the person's own: an installation may remove it. */
function hasOwnNode(root) {
  const [major, minor] = process.version.slice(1).split('.').map(Number)
  const own = !process.execPath.startsWith(join(root, 'node_modules'))
  return own && major === runtime_major && minor >= least_minor
}
function installedKind(root) {
  const stamp = stampOf(root)
  return fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8').split(' ')[0] : undefined
}

function isInstalled(root, kind) {
  try {
    const [present, made] = fs.readFileSync(stampOf(root), 'utf8').split(' ')
    const enough = present === 'all' || kind === 'runtime'
    return enough && made === fingerprint(root) && fs.existsSync(runtimeOf(root))
  } catch {
    return false
  }
}

/**
 * The inputs that decide about node_modules; a changed script in package.json causes no new
 * installation.
 */
function fingerprint(root) {
  const described = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))
  const deciding = ['dependencies', 'devDependencies', 'optionalDependencies', 'workspaces']
  const parts = [...deciding, 'peerDependencies', 'overrides', 'allowScripts'].map(
    name => described[name] ?? null,
  )
  return createHash('sha256')
    .update(fs.readFileSync(join(root, 'package-lock.json')))
    .update(JSON.stringify([parts, process.platform, process.arch]))
    .digest('hex')
}

/**
 * Whether a plain `npm install` has done the work before: npm writes its own record at the very
 * end. The record leaves out optional packages for other machines.
 */
function matchesLock(root, kind) {
  try {
    const read = file => JSON.parse(fs.readFileSync(join(root, file), 'utf8')).packages
    const wanted = Object.entries(read('package-lock.json')).filter(([path]) => path !== '')
    const present = read(join('node_modules', '.package-lock.json'))
    const agrees = ([path, entry]) => {
      if (kind === 'runtime' && (entry.dev || (entry.peer && hasOwnNode(root)))) return true
      const found = present[path]
      if (!found) return entry.optional === true && !isForThisMachine(entry)
      return found.version === entry.version && found.integrity === entry.integrity
    }
    return wanted.every(agrees)
  } catch {
    return false
  }
}

const isForThisMachine = ({ os, cpu, libc }) =>
  !libc && os?.includes(process.platform) && cpu?.includes(process.arch)

async function install(root, kind, folder, say) {
  const what = kind === 'all' ? 'all packages, also those of the tests,' : 'the packages'
  say(`Installing ${what} into node_modules (only this once; a minute or less) … `)
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const ticks = process.stderr.isTTY
    ? undefined
    : setInterval(() => say(`  … still installing, ${seconds()} s\n`), 5000)
  try {
    const { code, signal } = await runNpm(root, folder, ...installing(root, kind))
    if (signal) throw new Error(`The installation was interrupted (${signal}). Start again.`)
    if (code !== 0) {
      throw new Error(
        `The installation failed: \`npm ci\` ended with code ${code}; its output is above. ` +
          'Correct the cause (often the network), then start again.',
      )
    }
    // The install script of Node brings 68 MB of headers in a package that is not in the lock file.
    // Without this command they stay, and nothing else is missing.
    if (fs.existsSync(npmsNode(root))) {
      const pruning = ['prune', '--no-save', '--ignore-scripts']
      await runNpm(root, folder, ...pruning, ...chosen(root, kind))
    }
  } finally {
    clearInterval(ticks)
  }
  say(`Installed in ${seconds()} s.\n`)
}

/**
 * `ci` empties node_modules first. What the tests need is added without that, so that a platform that
 * runs from this folder goes on.
 */
function installing(root, kind) {
  const adds = kind === 'all' && isInstalled(root, 'runtime')
  return [...(adds ? ['install', '--no-save'] : ['ci']), ...chosen(root, kind)]
}

/** NODE_ENV must not decide what is left out. */
function chosen(root, kind) {
  if (kind === 'all') return ['--include=dev', '--include=peer']
  return ['--omit=dev', hasOwnNode(root) ? '--omit=peer' : '--include=peer']
}

async function runNpm(root, folder, ...words) {
  const through = process.env.npm_execpath ?? ''
  const [command, ...first] = /npm-cli\.c?js$/.test(through) ? [process.execPath, through] : ['npm']
  // npm's output goes to standard error, because standard output belongs to the command that follows.
  const args = [...first, ...words, '--no-audit', '--no-fund', '--loglevel=error']
  // Loaded only here, because it takes half of the time that a start without installation takes.
  const { spawn } = await import('node:child_process')
  // npm waits for the install scripts that it runs, so to end it, its whole process group must be
  // ended. An installer that gets a signal does so at once; one that is killed leaves the pid of
  // npm in a file.
  const npm = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], detached: true })
  let told = null
  const forward = signal => {
    told = signal
    endGroup(npm.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  const record = join(folder, 'npm')
  try {
    return await new Promise((resolve, reject) => {
      npm.on('spawn', () => fs.symlinkSync(identityOf(npm.pid), record))
      npm.on('error', error =>
        reject(new Error(`npm cannot be run (${error.code}). Install npm, then start again.`)),
      )
      npm.on('exit', (code, signal) => resolve({ code, signal: told ?? signal }))
    })
  } finally {
    for (const signal of signals) process.off(signal, forward)
    fs.rmSync(record, { force: true })
  }
}

/**
 * Two npm processes in one folder would undo each other's work: one whose installer has ended is
 * ended.
 */
async function endFormerNpm(record) {
  const former = linkText(record)
  if (former === undefined) return
  const pid = Number(former.split('.')[0])
  for (let waited_ms = 0; isAlive(former); waited_ms += 50) {
    endGroup(pid, waited_ms < 10_000 ? 'SIGTERM' : 'SIGKILL')
    await pause(50)
  }
  fs.rmSync(record, { force: true })
}

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended by itself.
  }
}

async function runtimeVersion(root) {
  const { spawnSync } = await import('node:child_process')
  const { stdout } = spawnSync(runtimeOf(root), ['--version'], { encoding: 'utf8' })
  return (stdout ?? '').trim()
}

async function checkRuntime(root) {
  const version = await runtimeVersion(root)
  if (version.startsWith(`v${runtime_major}.`)) return
  throw new Error(
    `npm has installed everything, but ${runtimeOf(root)} answers "${version}" instead of ` +
      `v${runtime_major}. Let npm run install scripts (\`npm config set ignore-scripts false\`), ` +
      'then start again.',
  )
}

if (process.argv[1] && pathToFileURL(fs.realpathSync(process.argv[1])).href === import.meta.url) {
  try {
    await ensureInstalled(process.argv.includes('--all') ? 'all' : 'runtime')
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
