/**
 * Every package that a user installs to run the platform has a licence that lets them use, change and
 * sell what they build with it. The lock file names the licences.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { notices } from '../scripts/notices.ts'

type Entry = {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly resolved?: string
}

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

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>
}
const runtime = Object.entries(lock.packages)
  .filter(([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link)
  .map(([path, { license }]) => ({ name: path.split('node_modules/').at(-1) ?? '', license }))

test('every package of the runtime has an allowed licence', () => {
  expect(runtime.length).toBeGreaterThan(100)
  const others = runtime.filter(
    ({ name, license = 'none' }) =>
      !isAllowed(license) && !exceptions.some(one => one.name.test(name)),
  )
  expect(others).toEqual([])
})

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
