/**
 * Two builds to run side by side: the working tree, and a copy of it with more migrations, which
 * stands for the next release. A build is started as a process of its own, on the packages that are
 * installed here.
 */
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type Release = {
  readonly name: string
  /** The program that starts it. */
  readonly program: string
  remove(): Promise<void>
}

export const current: Release = {
  name: 'this release',
  program: join(root, 'test/product-child.ts'),
  remove: async () => {},
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
  return {
    name: 'the next release',
    program: join(folder, 'test/product-child.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
