/**
 * Makes the npm package: the bundle of the platform, the types of its entries, and the files that
 * are read at run time, at the places that they have in a checkout. `npm run package` writes
 * dodeca-<version>.tgz into the folder of the checkout, or into another one that is named.
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { joinSources } from './bundle.mjs'
import { ensureGenerated } from './generated.mjs'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** The entries of the package, with their sources. */
export const entries = {
  '.': 'src/index.ts',
  './kernel': 'src/kernel/entry.ts',
  './testing': 'src/testing/entry.ts',
} as const

const whole =
  `api/tools.md bin/dodeca.mjs console/src client/README.md client/elements client/package.json client/src
  docs templates
  CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md THIRD-PARTY-NOTICES.md`.split(/\s+/)

/** Returns the path of the tarball. */
export async function pack(target: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-package-'))
  try {
    await layOut(folder, 'package')
    await buildClient(folder)
    await declareTypes(join(folder, 'types'))
    const described = await describe()
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`)
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', target], {
      cwd: folder,
      maxBuffer: 1e8,
    })
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
    return join(target, filename)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The bundle, and the files that are read at run time. */
export async function layOut(folder: string, kind: 'package' | 'product'): Promise<void> {
  await ensureGenerated()
  for (const path of whole) await cp(join(root, path), join(folder, path), { recursive: true })
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: isRead })
  await joinPlatform(kind, join(folder, 'dist'))
}

/** Migrations, pages and README files: what is not compiled. */
function isRead(path: string): boolean {
  return basename(path) !== 'test' && !/(?<!try-it|docs-page)\.(ts|mjs|js)$/.test(path)
}

/** The maps, by which errors name lines of sources, lead from where the bundle was made. */
async function joinPlatform(kind: 'package' | 'product', dist: string): Promise<void> {
  await joinSources(root, kind, dist, '..')
  const from = `"${relative(dist, root)}/`
  for (const name of (await readdir(dist)).filter(one => one.endsWith('.map'))) {
    const path = join(dist, name)
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, '"../'))
  }
}

async function buildClient(folder: string): Promise<void> {
  const from = join(root, 'client')
  const dist = join(folder, 'client/dist')
  await run(join(from, 'node_modules/.bin/tsc'), ['-p', from, '--outDir', dist])
  await cp(join(from, 'src/schema.d.ts'), join(dist, 'schema.d.ts'))
}

/** The declarations of what the entries name, and of what that needs. */
export async function declareTypes(folder: string): Promise<void> {
  const project = `${folder}.json`
  // The step `types` of scripts/check.ts checks them; that again is most of the time that this takes.
  const written = { noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true }
  const files = Object.values(entries)
  await writeFile(
    project,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        ...written,
        rootDir: root,
        outDir: folder,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      // What packages without types are declared as.
      include: [join(root, 'src/**/*.d.ts')],
      files: files.map(path => join(root, path)),
    }),
  )
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', project])
  await rm(project)
  await removeOthers(folder, files)
}

/** The compiler also writes the types of what only the code of an entry needs. */
async function removeOthers(folder: string, files: readonly string[]): Promise<void> {
  const needed = new Set(files.map(path => join(folder, path.replace('.ts', '.d.ts'))))
  for (const file of needed) {
    const text = await readFile(file, 'utf8')
    for (const [, kernel, path = ''] of text.matchAll(
      /['"](?:(#dodeca\/kernel)|(\.[^'"]+)\.ts)['"]/g,
    )) {
      needed.add(
        kernel ? join(folder, 'src/kernel/entry.d.ts') : `${join(dirname(file), path)}.d.ts`,
      )
    }
  }
  const found = await readdir(folder, { recursive: true })
  for (const path of found.filter(one => one.endsWith('.d.ts')).map(one => join(folder, one))) {
    if (!needed.has(path)) await rm(path)
  }
}

type Described = Record<string, unknown> & {
  readonly dependencies: Readonly<Record<string, string>>
}

/** `overrides` and `allowScripts` are read by `dodeca new`; npm reads them from the root only. */
async function describe(): Promise<Described> {
  const read = async (path: string) =>
    JSON.parse(await readFile(join(root, path), 'utf8')) as Described
  const own = await read('package.json')
  const tools = ['private', 'scripts', 'workspaces', 'devDependencies']
  const kept = Object.entries(own).filter(([name]) => !tools.includes(name))
  const { dependencies } = await read('client/package.json')
  const named = (source: string) => {
    const bundle = `./dist/${source.replace('.ts', '').replaceAll('/', '-')}.mjs`
    return { types: `./types/${source.replace('.ts', '.d.ts')}`, default: bundle }
  }
  return {
    ...Object.fromEntries(kept),
    dependencies: { ...own.dependencies, ...dependencies },
    imports: { '#dodeca/kernel': named(entries['./kernel']) },
    exports: {
      ...Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, named(source)])),
      './client': { types: './client/dist/index.d.ts', default: './client/dist/index.js' },
      './package.json': './package.json',
    },
  }
}

if (import.meta.main) {
  const path = await pack(resolve(process.argv[2] ?? root))
  console.log(`${path} is written.`)
}
