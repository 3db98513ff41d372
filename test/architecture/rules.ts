/**
 * All rules of the house that a machine can check, over one tree. What each of them forbids is proven
 * by the cases in violations.ts: a rule without a case that breaks it fails the test.
 */
import { importFaults } from './imports.ts'
import { sourceFaults } from './sources.ts'
import { sqlFaults } from './sql.ts'
import type { Fault, Tree } from './tree.ts'
import { zoneOf } from './zones.ts'

const always = ['README.md', 'surface.ts']
/** A surface of resources has its routes and schemas in the declarations of those. */
const unlessResources = ['routes.ts', 'schemas.ts']

export function architectureFaults(tree: Tree): Fault[] {
  return [
    ...importFaults(tree),
    ...sqlFaults(tree),
    ...sourceFaults(tree),
    ...fixedNameFaults(tree),
  ]
}

/** All twelve surfaces have the same names. */
function fixedNameFaults({ files }: Tree): Fault[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const folders = new Set(
    files.flatMap(({ path }) => {
      const zone = zoneOf(path)
      return zone.kind === 'surface' ? [zone.folder] : []
    }),
  )
  return [...folders].flatMap(folder =>
    [
      ...always,
      ...(/\b(resources|workflows): \[/.test(texts.get(`${folder}surface.ts`) ?? '')
        ? []
        : unlessResources),
    ]
      .filter(name => !texts.has(folder + name))
      .map(name => ({
        rule: 'fixed-name',
        path: folder,
        line: 1,
        says: `every surface has a ${name}`,
      })),
  )
}
