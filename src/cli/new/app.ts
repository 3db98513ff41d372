/** A new application: package.json, configuration, and a surface with one route. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '#dodeca/kernel'
import { template, templatesOf, writeNew } from './files.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What npm reads only from the package.json of the application itself. */
type Described = {
  readonly version: string
  readonly overrides: object
  readonly allowScripts: object
}

export async function makeApp(name: string, given?: string): Promise<string[]> {
  if (!/^[a-z][a-z0-9-]{0,59}$/.test(name)) {
    throw new StartError(
      `An application cannot be called ${name}: its name has small letters, digits and hyphens, and begins with a letter.`,
    )
  }
  const folder = resolve(name)
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new StartError(`The folder ${folder} is not empty. Choose another name.`)
  }
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Described
  const dodeca = given ?? (await runningPackage(own.version))
  const made = await templatesOf('app')
  for (const path of made) {
    const text = await template(`app/${path}`)
    await writeNew(
      join(folder, named(path)),
      path === 'package.app.json'
        ? described(text, name, dodeca, own)
        : text.replace('# example', `# ${name}`),
    )
  }
  return made.map(path => join(name, named(path)))
}

/** npm leaves a .gitignore out of a package, and a package.json would begin another package. */
const names: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  'package.app.json': 'package.json',
}
const named = (path: string) => names[path] ?? path

function described(text: string, name: string, dodeca: string, own: Described): string {
  const { dependencies, ...rest } = JSON.parse(text) as { dependencies: object }
  const { overrides, allowScripts } = own
  const all = { ...rest, name, dependencies: { ...dependencies, dodeca }, allowScripts, overrides }
  return `${JSON.stringify(all, null, 2)}\n`
}

/** npm has noted whether this package came from the registry or from a file. */
async function runningPackage(version: string): Promise<string> {
  const modules = dirname(root.replace(/\/$/, ''))
  const noted = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => undefined)
  if (noted === undefined || !modules.endsWith('node_modules')) {
    throw new StartError(
      'An application depends on the package. In a checkout, make it with `node scripts/pack.ts`, ' +
        `then name it: --dodeca=file:${join(root, `dodeca-${version}.tgz`)}`,
    )
  }
  const { packages } = JSON.parse(noted) as { packages: Record<string, { resolved?: string }> }
  const from = packages['node_modules/dodeca']?.resolved ?? ''
  if (!from.startsWith('file:')) return version
  return `file:${resolve(dirname(modules), from.slice('file:'.length))}`
}
