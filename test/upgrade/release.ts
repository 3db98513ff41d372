/**
 * Releases to run beside the working tree: the last one, unpacked from the history of this
 * repository, and a next one, which is the working tree with more migrations. A release is started
 * as a process of its own, on the packages that are installed here.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

export type Release = {
  readonly name: string
  /** The program that starts it. */
  readonly program: string
  remove(): Promise<void>
}

/**
 * Stands for the last release while there is no tag. Three migrations of two schemas are newer than
 * this commit. Name a newer commit once its packages can no longer be installed.
 */
const last_commit = '02e2f2a80798b6e02f6866cc598b951f0349ba8f'

export const current: Release = {
  name: 'this release',
  program: join(root, 'test/product-child.ts'),
  remove: async () => {},
}

export async function lastRelease(): Promise<Release> {
  await run('git', ['cat-file', '-e', `${last_commit}^{commit}`], { cwd: root }).catch(
    (error: unknown) => {
      throw new Error(
        `the commit ${last_commit} is not in this clone, so the last release cannot be unpacked: ` +
          'run `git fetch --unshallow`, or clone with the whole history',
        { cause: error },
      )
    },
  )
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-last-release-'))
  const archive = `${folder}.tar`
  await run('git', ['archive', '--output', archive, last_commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  await rm(archive)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return releaseIn(folder, 'the last release')
}

/** The working tree with one more migration in each of these schemas. */
export async function nextRelease(migrations: Readonly<Record<string, string>>): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-next-release-'))
  for (const entry of await readdir(root)) {
    if (entry === 'src' || entry === 'test' || entry === '.git') continue
    await symlink(join(root, entry), join(folder, entry))
  }
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await mkdir(join(folder, 'test'))
  await cp(join(root, 'test/product-child.ts'), join(folder, 'test/product-child.ts'))
  for (const [schema, text] of Object.entries(migrations)) {
    const of = join(folder, 'src/surfaces', schema, 'migrations')
    const newest = (await readdir(of)).sort().at(-1)?.slice(0, 4) ?? ''
    const number = String(Number(newest) + 1).padStart(4, '0')
    const head = `-- Compatible since ${newest}: nothing of this release uses it.\n`
    await writeFile(join(of, `${number}-of-the-next-release.sql`), `${head}${text};\n`)
  }
  return releaseIn(folder, 'the next release')
}

function releaseIn(folder: string, name: string): Release {
  return {
    name,
    program: join(folder, 'test/product-child.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
