/**
 * Writes THIRD-PARTY-NOTICES.md: the packages that come with the platform and their licences, as the
 * lock file names them. `node scripts/notices.ts` after a change of packages; a test compares.
 */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readLock, shippedPackages } from './packages.ts'

const root = resolve(import.meta.dirname, '..')

export async function notices(): Promise<string> {
  const shipped = shippedPackages(await readLock()).map(({ name, version, license }) => ({
    name: `${name} ${version}`,
    license: license ?? 'see its package',
  }))
  const groups = [...Map.groupBy(shipped, ({ license }) => license)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const parts = groups.map(([license, members]) => {
    const names = [...new Set(members.map(({ name }) => name))].toSorted()
    return `## ${license}\n\n${names.map(name => `- ${name}\n`).join('')}`
  })
  return `# Third-party notices

Dodeca is licensed under [Apache-2.0](LICENSE). \`npm start\` installs these packages with it, under the licences that stand above them. The text of each licence and its copyright lines are in the folder of the package below \`node_modules\`. PostgreSQL is under the PostgreSQL licence; libvips, which comes with sharp, is under LGPL-3.0-or-later and is a library that can be replaced. PDF.js, which is a part of unpdf, is under Apache-2.0.

This page is generated. \`npm run --silent sbom\` prints a bill of materials in the format of CycloneDX.

${parts.join('\n')}`
}

if (import.meta.main) {
  await writeFile(resolve(root, 'THIRD-PARTY-NOTICES.md'), await notices())
  console.log('THIRD-PARTY-NOTICES.md is up to date.')
}
