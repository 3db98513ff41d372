/**
 * What is made from the sources and kept in node_modules/.cache: bundles, the OpenAPI document, the
 * types of the client. It needs no step of its own and is never stale: its folder is named
 * by the state of all files that it is made from, by the lock file and by Node. If any of them differs
 * there is no such folder. Plain JavaScript with Node's own modules, for any Node 20 or newer.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runtimeOf } from './install.mjs'
import { identityOf, isAlive } from './lock.mjs'

const cacheOf = root => join(root, 'node_modules', '.cache', 'dodeca')

/** Reading the times of 1,500 files takes 30 ms, reading the files themselves 100 ms. */
export function folderOf(root, kind, files, by, version = versionOf(root)) {
  const hash = createHash('sha256').update(JSON.stringify([root, version]))
  const packages = ['package-lock.json', 'node_modules/.package-lock.json']
  for (const file of [...packages, 'scripts/cache.mjs', ...files]) {
    hash.update(`\n${file} ${by(join(root, file))}`)
  }
  return join(cacheOf(root), kind, hash.digest('hex').slice(0, 32))
}

/** The change time cannot be set back, unlike the time of modification. */
export function stateOf(path) {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found && `${found.size} ${found.ctimeMs} ${found.ino}`
}

export function contentOf(path) {
  return fs.existsSync(path) && createHash('sha256').update(fs.readFileSync(path)).digest('hex')
}

/** Nothing is made from the tests beside the sources. */
export function sourcesOf(root, folders) {
  const found = []
  const walk = folder => {
    for (const one of fs.readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${one.name}`
      if (one.isDirectory() && one.name !== 'test') walk(path)
      if (/(?<!\.test)\.(ts|mjs)$/.test(one.name)) found.push(path)
    }
  }
  folders.forEach(walk)
  return found.toSorted((one, other) => (one < other ? -1 : 1))
}

/** The version of the Node that runs the platform, without starting it. */
function versionOf(root) {
  if (runtimeOf(root) === process.execPath) return process.version
  const described = fs.readFileSync(join(root, 'node_modules/node/package.json'), 'utf8')
  return `v${JSON.parse(described).version}`
}

/** What `fill` returned when the folder was made; undefined if it is not there or not whole. */
export function contentsOf(folder) {
  markUsed(folder)
  try {
    const { sizes, ...contents } = JSON.parse(
      fs.readFileSync(join(folder, 'contents.json'), 'utf8'),
    )
    // After a power failure files may be shorter than they were written.
    const whole = ([name, size]) => fs.lstatSync(join(folder, name)).size === size
    return Object.entries(sizes).every(whole) ? contents : undefined
  } catch {
    return undefined
  }
}

/**
 * A platform that runs from a bundle loads some of its files later, so the folder stays while it
 * runs.
 */
function markUsed(folder) {
  try {
    fs.writeFileSync(join(folder, 'users', identityOf(process.pid)), '')
    const users = fs.readdirSync(join(folder, 'users'))
    for (const one of users.length > 20 ? users : []) {
      if (!isAlive(one)) fs.rmSync(join(folder, 'users', one), { force: true })
    }
  } catch {
    // Where nothing can be written nothing is removed either.
  }
}

/** The folder has its name only when it is whole. Older ones are removed if no process uses them. */
export async function makeFolder(folder, fill) {
  const siblings = dirname(folder)
  fs.mkdirSync(siblings, { recursive: true })
  for (const name of fs.readdirSync(siblings)) {
    const users = join(siblings, name, 'users')
    const used = fs.existsSync(users) && fs.readdirSync(users).some(isAlive)
    if (!used || name === basename(folder)) fs.rmSync(join(siblings, name), { recursive: true })
  }
  const making = `${folder}.making`
  fs.mkdirSync(join(making, 'users'), { recursive: true })
  const contents = await fill(making)
  const files = fs.readdirSync(making).filter(name => name !== 'users' && !name.endsWith('.map'))
  const sizes = files.map(name => [name, fs.lstatSync(join(making, name)).size])
  fs.writeFileSync(
    join(making, 'contents.json'),
    JSON.stringify({ ...contents, sizes: Object.fromEntries(sizes) }),
  )
  fs.renameSync(making, folder)
}
