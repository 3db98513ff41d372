/** What the published document says of each member: of its own noun, and nothing of one that is gone. */
import { expect, test } from 'vitest'
import { openApiText } from '../../scripts/openapi.ts'
import { kernelReference } from '../../src/kernel/http/openapi/kernel-reference.ts'
import { composition } from '../../src/platform.ts'

type Schema = { readonly [name: string]: unknown }
type Operations = Record<string, { operationId: string; parameters?: Parameter[] }>
type Parameter = { name?: string; in?: string; description?: string; schema?: Schema }
type Shown = { readonly path: string; readonly name: string; readonly says: unknown }

const document = JSON.parse(await openApiText()) as {
  readonly paths: Schema
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const literal = new Set(['examples', 'default', 'const', 'enum', 'required'])

function* membersOf(value: unknown, path: string): Generator<Shown> {
  if (typeof value !== 'object' || value === null) return
  const { properties, ...rest } = value as Schema
  for (const [name, one] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
    yield { path: `${path}.${name}`, name, says: one['description'] }
    yield* membersOf(one, `${path}.${name}`)
  }
  for (const [keyword, one] of Object.entries(rest)) {
    if (!literal.has(keyword)) yield* membersOf(one, path)
  }
}

function* parametersOf(paths: Schema): Generator<Shown & { readonly place: string }> {
  for (const operations of Object.values(paths)) {
    for (const { operationId, parameters = [] } of Object.values(operations as Operations)) {
      for (const { name = '', in: place, description, schema } of parameters) {
        // A shared header has its words where it is declared.
        if (place === undefined) continue
        const says = description ?? schema?.['description']
        yield { path: `${operationId}.${name}`, name, place, says }
      }
    }
  }
}

const titled = Object.entries(document.components.schemas)
const members = titled.flatMap(([title, schema]) => [...membersOf(schema, title)])
const tables = [kernelReference, ...composition.surfaces.map(one => one.reference?.members ?? {})]
const parameters = [...parametersOf(document.paths)]
/** As words name them: by the place, and by the operation. */
const described = new Set(parameters.flatMap(({ path, name, place }) => [path, `${place}.${name}`]))
const words = tables.flatMap(table => Object.entries(table))

test('every member of a body or a reply is described', () => {
  const all = [...members, ...membersOf(document.paths, 'paths')]
  expect(all.length).toBeGreaterThan(4000)
  expect(all.filter(({ says }) => typeof says !== 'string').map(({ path }) => path)).toEqual([])
})

test('every parameter is described', () => {
  expect(parameters.length).toBeGreaterThan(800)
  expect(parameters.filter(({ says }) => typeof says !== 'string').map(({ path }) => path)).toEqual(
    [],
  )
})

test('a description ends like a sentence', () => {
  const open = [...members, ...parameters].filter(({ says }) => !/[.!?)]$/.test(String(says)))
  expect(open.map(({ path, says }) => `${path}: ${String(says)}`)).toEqual([])
})

/** What several nouns share must be true of all of them, so this number may only fall. */
test('few members have words that are not written for their noun', () => {
  const shared = new Set(words.flatMap(([name, [says]]) => (name.includes('.') ? [] : [says])))
  const nouns = new Map<string, Set<string>>()
  for (const { path, says } of members) {
    if (!shared.has(String(says))) continue
    const noun = (path.split('.')[0] ?? '').replace(/^(New|Create|Change|Put|Open)(?=[A-Z])/, '')
    const known = nouns.get(String(says)) ?? new Set<string>()
    nouns.set(
      String(says),
      known.add(noun.replace(/(Summary|Detail|InFull|With\w+|Body|Page)$/, '')),
    )
  }
  const pages = /^(The items of this page|Send it as `cursor`|Whether a next page)/
  const copied = [...nouns].filter(([says, of]) => of.size > 1 && !pages.test(says))
  const count = copied.reduce((sum, [, of]) => sum + of.size, 0)
  expect(count).toBeLessThanOrEqual(707)
})

/** These name lines of a stream. */
const of_lines = ['BatchHeader', 'ProfileViewer']

test('no words are left of a noun that is gone', () => {
  const known = new Set(members.flatMap(({ path, name }) => [path, name]))
  const titles = new Set(titled.map(([title]) => title))
  const gone = words.filter(([key]) => {
    const [title = '', ...names] = key.split('.')
    const last = names.at(-1)
    if (last === undefined || of_lines.includes(title)) return false
    if (described.has(`${title}.${last}`)) return false
    return !titles.has(title) || !known.has(last)
  })
  expect(gone.map(([key]) => key)).toEqual([])
})
