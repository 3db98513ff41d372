/**
 * Joins the sources of the platform into a few files, because Node needs most of a start to read
 * 1,500 files one at a time. The bundle is a cache (cache.mjs), which goes by path, size and change
 * time of all sources. If there is none of these sources, the sources themselves run. Plain
 * JavaScript with Node's own modules, for any Node 20 or newer.
 */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { contentsOf, folderOf, makeFolder, sourcesOf, stateOf } from './cache.mjs'
import { ensureInstalled } from './install.mjs'
import { underLock } from './lock.mjs'

const project = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** `test` also has the programs that tests start. */
const kinds = {
  product: { folders: ['src'], entries: ['src/cli/main.ts', 'src/cli.ts'] },
  package: {
    folders: ['src'],
    entries: ['src/cli/main.ts', 'src/cli.ts', 'src/testing/entry.ts'],
  },
  test: {
    folders: ['src', 'test'],
    entries: ['src/cli/main.ts', 'src/cli.ts', 'test/child.ts', 'test/product-child.ts'],
  },
}

/**
 * The packages that every start loads. Others stay outside: they are loaded later, have native
 * parts or look for their own files. Each package is in the bundle or outside, never both.
 */
const joined = new Set(
  `@opentelemetry/api @streamparser/json ajv aws4fetch bowser canonicalize content-disposition
  croner fast-json-stringify file-type find-my-way html-to-text http_ece isbot jose
  liquidjs lru-cache nanoid negotiator openid-client otpauth pg pg-protocol pino pino-pretty
  prom-client qr robots-parser tar-stream temporal-polyfill tldts typebox unicode-confusables uuidv7
  wink-porter2-stemmer ws`.split(/\s+/),
)

/** A program that is started by its path: `new URL('./a.child.ts', import.meta.url)`. */
const program = /\bnew URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url\s*\)/g

/** The joined form of a source file that is a program; undefined if there is none of these sources. */
export function bundled(entry, { root = project, kind = 'product', version } = {}) {
  try {
    const folder = folderFor(root, kind, version)
    const name = contentsOf(folder)?.entries[entry]
    return name && join(folder, name)
  } catch {
    return undefined
  }
}

/** Where the compiled code of a program is kept: with its bundle, so that both go together. */
export function compiledOf(program) {
  try {
    fs.accessSync(dirname(program ?? ''), fs.constants.W_OK)
    return join(dirname(program), 'compiled')
  } catch {
    return join(tmpdir(), 'node-compile-cache')
  }
}

/** Makes the bundle if it is missing. Without it the platform runs too, so no failure stops it. */
export async function ensureBundle({ root = project, kind = 'product', version, say } = {}) {
  const print = say ?? (line => process.stderr.write(line))
  const isMade = () => bundled(kinds[kind].entries[0], { root, kind, version }) !== undefined
  try {
    if (!fs.existsSync(join(root, 'node_modules/esbuild')) || isMade()) return
    fs.accessSync(join(root, 'node_modules'), fs.constants.W_OK)
  } catch {
    return
  }
  try {
    const make = () =>
      makeFolder(folderFor(root, kind, version), folder => joinSources(root, kind, folder))
    await underLock(root, 'joining the sources', isMade, make, print)
  } catch (error) {
    const [cause] = error.message
      .split('\n')
      .filter(line => line !== '')
      .slice(-1)
    print(`The sources cannot be joined, so they are read one at a time (${cause}).\n`)
  }
}

const ownFiles = ['scripts/bundle.mjs', 'scripts/source-lines.mjs', 'client/generate.ts']

function folderFor(root, kind, version) {
  const files = [...ownFiles, ...sourcesOf(root, kinds[kind].folders)]
  return folderOf(root, kind, files, stateOf, version)
}

/**
 * Returns the file of each entry. A module has the address of its source, relative to its bundle:
 * `up` is the way from there to the root.
 */
export async function joinSources(root, kind, outdir, up = relative(outdir, root)) {
  const sources = sourcesOf(root, kinds[kind].folders)
  const entries = [...new Set([...kinds[kind].entries, ...programsOf(root, sources)])]
  // Loaded only here, because a start without a change does not need it.
  const { build } = await import(pathToFileURL(join(root, 'node_modules/esbuild/lib/main.js')).href)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map(path => ({ in: path, out: nameOf(path).slice(0, -'.mjs'.length) })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`,
    },
    external: ['pg-native'],
    // Node keeps the text of all modules in memory. Names stay, so that errors can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    // They are read only when an error is printed (source-lines.mjs).
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    plugins: [{ name: 'sources', setup: build => readSources(build, root, entries, up) }],
  })
  const known = new Set([...sources, ...ownFiles])
  const unknown = Object.keys(metafile.inputs).find(
    path => !/^(node_modules\/|node:)/.test(path) && !known.has(path),
  )
  if (unknown) throw new Error(`${unknown} is not among the files whose changes are seen`)
  return { entries: Object.fromEntries(entries.map(path => [path, nameOf(path)])) }
}

const nameOf = path => `${path.replace(/\.ts$/, '').replaceAll('/', '-')}.mjs`
const target = (path, named) => join(dirname(path), named)

function programsOf(root, sources) {
  const known = new Set(sources)
  const named = path => fs.readFileSync(join(root, path), 'utf8').matchAll(program)
  const found = sources.flatMap(path => [...named(path)].map(([, name]) => target(path, name)))
  // The client is read and not run.
  return found.filter(path => known.has(path))
}

/**
 * A module keeps the address of its source, by which it finds migrations and pages. Only programs
 * are looked for in the bundle.
 */
function readSources(build, root, entries, up) {
  // An `import` of it reads all its members, one of which loads Node's own undici.
  build.onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: 'node' }))
  build.onResolve({ filter: /^[^./#]/ }, ({ path, importer, kind }) => {
    if (kind === 'entry-point' || importer.includes('/node_modules/')) return undefined
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(path) ?? []
    return joined.has(name) ? undefined : { path, external: true }
  })
  build.onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
    contents: `module.exports = process.getBuiltinModule('${path}')`,
  }))
  build.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
    const own = relative(root, path)
    if (path.includes('/node_modules/') || ownFiles.includes(own)) return undefined
    const contents = fs
      .readFileSync(path, 'utf8')
      .replaceAll(program, (written, named) => {
        const started = target(own, named)
        return entries.includes(started)
          ? `new URL('./${nameOf(started)}', import.meta.URL)`
          : written
      })
      .replaceAll('import.meta.url', `new URL('${up}/${own}', import.meta.URL).href`)
      .replaceAll('import.meta.URL', 'import.meta.url')
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    // On the first line, so that the lines of the source keep their numbers.
    const lines = entries.includes(own) ? `import '${join(root, ownFiles[1])}';` : ''
    return { contents: lines + contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
  })
}

if (process.argv[1] && pathToFileURL(fs.realpathSync(process.argv[1])).href === import.meta.url) {
  try {
    await ensureInstalled()
    await ensureBundle()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
