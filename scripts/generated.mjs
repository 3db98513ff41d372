/**
 * The files that are made from the routes. Three of them are not in git: they are made before their
 * first use, and again after a change of the sources (cache.mjs). The others are in git, because a
 * running platform or a reader of a change needs them; `npm run generate` writes these too, and a
 * test compares them. Plain JavaScript with Node's own modules, for any Node 20 or newer.
 */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { contentOf, contentsOf, folderOf, makeFolder, sourcesOf } from './cache.mjs'
import { runtimeOf } from './install.mjs'
import { underLock } from './lock.mjs'

const project = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

const ignored = {
  'openapi.json': 'docs/openapi.json',
  'schema.d.ts': 'client/src/schema.d.ts',
  'declarations.json': 'client/src/declarations.json',
}
/** In git. */
export const tracked = {
  'operations.ts': 'client/src/operations.ts',
  'operations.md': 'api/operations.md',
  'tools.md': 'api/tools.md',
}

const program = 'scripts/generate.ts'
const inputs = [
  'package.json',
  program,
  'scripts/openapi.ts',
  'scripts/operations.ts',
  'scripts/tools.ts',
  'client/declare.ts',
  'client/generate.ts',
]

const made_of_them = /(schema\.d|operations)\.ts$/

/** Makes the files that are not in git. Returns the folder with all of them. */
export async function ensureGenerated() {
  const own = sourcesOf(project, ['client/src']).filter(path => !made_of_them.test(path))
  const files = [...inputs, ...own, ...sourcesOf(project, ['src'])]
  const folder = folderOf(project, 'generated', files, contentOf)
  const isMade = () => contentsOf(folder) !== undefined
  const isDone = () => isMade() && Object.entries(ignored).every(file => isPlaced(folder, file))
  const say = line => process.stderr.write(line)
  const make = async () => {
    if (!isMade()) await makeFolder(folder, generate)
    place(folder, ignored)
  }
  if (!isDone()) await underLock(project, 'generating files', isDone, make, say)
  return folder
}

/** A process of its own, because this one may have loaded other sources before they were changed. */
async function generate(folder) {
  await promisify(execFile)(runtimeOf(project), [join(project, program), folder])
}

function isPlaced(folder, [name, path]) {
  const target = join(project, path)
  return (
    fs.existsSync(target) && fs.readFileSync(target).equals(fs.readFileSync(join(folder, name)))
  )
}

function place(folder, files) {
  for (const [name, path] of Object.entries(files).filter(file => !isPlaced(folder, file))) {
    const target = join(project, path)
    fs.mkdirSync(dirname(target), { recursive: true })
    // In one step, because a compiler may be reading the file.
    fs.copyFileSync(join(folder, name), `${target}.new`)
    fs.renameSync(`${target}.new`, target)
    process.stderr.write(`${path} is written.\n`)
  }
}

/** If npm has installed only the platform, or runs under the installer, nothing is compiled now. */
function isWantedAfterInstall() {
  const tool = 'node_modules/openapi-typescript'
  const installed = ['', 'client'].some(at => fs.existsSync(join(project, at, tool)))
  return installed && !fs.existsSync(join(project, '.installing'))
}

if (process.argv[1] && pathToFileURL(fs.realpathSync(process.argv[1])).href === import.meta.url) {
  const [asked] = process.argv.slice(2)
  try {
    if (asked !== '--after-install' || isWantedAfterInstall()) {
      const folder = await ensureGenerated()
      if (asked === '--all') place(folder, tracked)
    }
  } catch (error) {
    process.stderr.write(`The generated files cannot be made. ${error.message}\n`)
    // The packages are installed all the same.
    process.exitCode = asked === '--after-install' ? 0 : 1
  }
}
