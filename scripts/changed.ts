/**
 * The tests that a change affects: those that import a changed file, directly or not. All surfaces
 * meet in the composition, so a change of one surface does not spread from there to the tests of
 * another: they use only its face and its events. Dependencies without an import (migrations,
 * documents, the documents' tests) are listed below; `npm test` before a merge runs everything
 * anyway.
 */
import { execFileSync } from 'node:child_process'
import { readTree, type Tree } from '../test/architecture/tree.ts'

/** A change of one of these affects the tests whose path begins with the value. */
const unseen: readonly { of: RegExp; tests: string }[] = [
  { of: /\/migrations\/[^/]+\.sql$/, tests: 'test/schema' },
  { of: /^(src|test|client)\/.*\.ts$/, tests: 'test/architecture' },
  { of: /^src\/.*\.(ts|sql)$/, tests: 'test/tenancy' },
  { of: /^(src\/cli|bin\/)/, tests: 'src/cli/' },
  { of: /^docs\/.*\.md$/, tests: 'test/docs' },
  { of: /^client\//, tests: 'test/client' },
  { of: /^(api\/|client\/generate|scripts\/(generate|operations))/, tests: 'test/openapi' },
]
/** A change of these affects all tests. */
const everywhere =
  /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig\.json|test\/global-setup\.ts|src\/kernel\/migrations\/.*)$/

/** Paths of files that differ from `base` (a commit), including uncommitted changes. */
export function changedFiles(root: string, base: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const [fork = 'HEAD'] = git('merge-base', base, 'HEAD')
  return [
    ...git('diff', '--name-only', '--no-renames', fork),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

export async function testsTouchedBy(root: string, changed: readonly string[]): Promise<string[]> {
  return touched(await readTree(root), changed)
}

export function touched({ modules }: Pick<Tree, 'modules'>, changed: readonly string[]): string[] {
  const tests = modules.map(({ path }) => path).filter(path => path.endsWith('.test.ts'))
  if (changed.some(path => everywhere.test(path))) return tests
  const imports = new Map(
    modules.map(({ path, imports: all }) => [
      path,
      all.flatMap(({ target, typeOnly }) => (target && !typeOnly ? [target] : [])),
    ]),
  )
  const wanted = new Set(changed)
  const owned = new Set(changed.flatMap(path => surfaceOf(path) ?? []))
  const listed = unseen.filter(({ of }) => changed.some(path => of.test(path)))
  return tests.filter(
    test =>
      listed.some(one => test.startsWith(one.tests)) ||
      // Nothing imports a surface's migration; all its tests depend on it.
      changed.some(path => path.endsWith('.sql') && surfaceOf(path) === (surfaceOf(test) ?? '')) ||
      leadsTo(test, wanted, imports, owned),
  )
}

function leadsTo(
  test: string,
  wanted: ReadonlySet<string>,
  imports: ReadonlyMap<string, readonly string[]>,
  owned: ReadonlySet<string>,
): boolean {
  const own = surfaceOf(test)
  const seen = new Set([test])
  for (const path of seen) {
    if (wanted.has(path)) return true
    for (const next of imports.get(path) ?? []) {
      const other = isComposition(path) ? surfaceOf(next) : undefined
      if (own && other && other !== own && owned.has(other)) continue
      seen.add(next)
    }
  }
  return false
}

function isComposition(path: string): boolean {
  return path === 'src/platform.ts' || path === 'src/settings.ts'
}

function surfaceOf(path: string): string | undefined {
  return /^src\/surfaces\/([^/]+)\//.exec(path)?.[1]
}
