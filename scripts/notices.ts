/**
 * Writes THIRD-PARTY-NOTICES.md: the packages that come with the platform and their licences, as the
 * lock file names them. `node scripts/notices.ts` after a change of packages; a test compares.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

type Entry = {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

export async function notices(): Promise<string> {
  const text = await readFile(resolve(root, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> }
  const shipped = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version = '', license = 'see its package' }]) => ({
      name: `${path.split('node_modules/').at(-1) ?? ''} ${version}`,
      license,
    }))
  const groups = [...Map.groupBy(shipped, ({ license }) => license)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const parts = groups.map(([license, members]) => {
    const names = [...new Set(members.map(({ name }) => name))].toSorted()
    return `## ${license}\n\n${names.map(name => `- ${name}\n`).join('')}`
  })
  return `# Third-party notices

Dodeca is licensed under [Apache-2.0](LICENSE). \`npm start\` installs these packages with it, under the licences that stand above them. The text of each licence and its copyright lines are in the folder of the package below \`node_modules\`. PostgreSQL is under the PostgreSQL licence; libvips, which comes with sharp, is under LGPL-3.0-or-later and is a library that can be replaced.

This page is generated. \`npm run sbom\` prints a bill of materials in the format of CycloneDX.

${parts.join('\n')}`
}

if (import.meta.main) {
  await writeFile(resolve(root, 'THIRD-PARTY-NOTICES.md'), await notices())
  console.log('THIRD-PARTY-NOTICES.md is up to date.')
}
