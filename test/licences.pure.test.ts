/**
 * Every package that a user installs to run the platform has a licence that lets them use, change and
 * sell what they build with it, and stands in the bill of materials. The lock file names the licences.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { notices } from '../scripts/notices.ts'
import { readLock, shippedPackages } from '../scripts/packages.ts'
import { billOfMaterials } from '../scripts/sbom.ts'

const allowed = new Set(
  `MIT MIT-0 Apache-2.0 BSD BSD-2-Clause BSD-3-Clause ISC 0BSD Unlicense PostgreSQL MPL-2.0 Zlib
  BlueOak-1.0.0 CC0-1.0 Python-2.0`.split(/\s+/),
)

/** Packages whose licence stands in another place or is allowed for a reason. */
const exceptions: readonly { readonly name: RegExp; readonly why: string }[] = [
  { name: /^@img\/sharp-/, why: 'libvips is LGPL and comes as a library that can be replaced' },
  { name: /^json-bignum$/, why: 'MIT, in the old form `licenses` of its package.json' },
]

/** An SPDX expression: of alternatives one is enough, of a conjunction each is needed. */
function isAllowed(expression: string): boolean {
  const parts = expression.replaceAll(/[()]/g, '')
  return parts
    .split(' OR ')
    .some(alternative => alternative.split(' AND ').every(one => allowed.has(one.trim())))
}

const lock = await readLock()
const runtime = shippedPackages(lock)

test('every package of the runtime has an allowed licence', () => {
  expect(runtime.length).toBeGreaterThan(100)
  const others = runtime.filter(
    ({ name, license = 'none' }) =>
      !isAllowed(license) && !exceptions.some(one => one.name.test(name)),
  )
  expect(others).toEqual([])
})

test('the bill of materials has exactly what the platform depends on', () => {
  const { components } = billOfMaterials(lock)
  const listed = components.map(one => one.purl.slice('pkg:npm/'.length).replace('%40', '@'))
  expect(listed).toContain('pg@8.23.1')
  expect(listed).not.toContain('vitest@5.1.1')
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed.toSorted()).toEqual([...dependencyTree()].toSorted())
})

test('each component has its hash, and its licence as an identifier, an expression or a name', () => {
  const { components } = billOfMaterials(lock)
  const digests = components.flatMap(one => one.hashes ?? [])
  expect(digests.every(one => one.alg === 'SHA-512' && /^[0-9a-f]{128}$/.test(one.content))).toBe(
    true,
  )
  // LanceDB's binaries for other systems are pinned by version only.
  const without = components.filter(one => !one.hashes).map(one => one.group)
  expect([...new Set(without)]).toEqual(['@lancedb'])
  const licenceOf = (name: string) => components.find(one => one.name === name)?.licenses
  expect(licenceOf('pg')).toEqual([{ license: { id: 'MIT' } }])
  expect(licenceOf('jszip')).toEqual([{ expression: '(MIT OR GPL-3.0-or-later)' }])
  expect(licenceOf('duck')).toEqual([{ license: { name: 'BSD' } }])
})

/**
 * What Node finds when it starts at the project and follows every dependency except those of the
 * development, by its own rule: the nearest `node_modules` above. The marks that npm leaves in the
 * lock file are not used.
 */
function dependencyTree(): ReadonlySet<string> {
  const found = new Set<string>()
  const visited = new Set<string>()
  const visit = (path: string) => {
    const entry = lock.packages[path]
    if (!entry || visited.has(path)) return
    visited.add(path)
    if (entry.link) return visit(entry.resolved ?? '')
    const name = entry.name ?? path.split('node_modules/').at(-1) ?? ''
    if (path.includes('node_modules/')) found.add(`${name}@${entry.version}`)
    const wanted = [entry.dependencies, entry.optionalDependencies, entry.peerDependencies]
    for (const one of wanted.flatMap(names => Object.keys(names ?? {}))) visit(nearest(path, one))
  }
  visit('')
  visit('client')
  return found
}

function nearest(path: string, name: string): string {
  const candidate = [path, 'node_modules', name].filter(Boolean).join('/')
  if (lock.packages[candidate] || path === '') return candidate
  const above = path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0))
  return nearest(above, name)
}

test('an expression is read by its words', () => {
  expect(isAllowed('(MIT OR GPL-3.0-or-later)')).toBe(true)
  expect(isAllowed('Apache-2.0 AND LGPL-3.0-or-later')).toBe(false)
  expect(isAllowed('SEE LICENSE IN LICENSE')).toBe(false)
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter(one => /^https?:/.test(one.resolved ?? ''))).toEqual(
    [],
  )
})

test('the notices name every package; else run node scripts/notices.ts', async () => {
  const written = readFileSync(new URL('../THIRD-PARTY-NOTICES.md', import.meta.url), 'utf8')
  expect(written).toBe(await notices())
})
