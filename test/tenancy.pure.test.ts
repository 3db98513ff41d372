/**
 * Every statement of a surface on a table with tenants names the tenant. One that must not (a
 * sweep, a look-up by a secret or by an operation's own id) says why in a comment of the SQL
 * itself: `-- any tenant: …`. Identity is an exception as a whole, because it decides who belongs
 * to which tenant, and reads its rows by account, session or secret; its tests check foreign ids
 * one by one.
 */
/* oxlint-disable no-template-curly-in-string -- the sources that are judged are texts here */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const surfaces = [
  ...foldersIn(join(root, 'src/surfaces')).filter(folder => !folder.endsWith('/identity')),
  ...foldersIn(join(root, 'test/surfaces')),
]

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(entry => join(folder, entry.name))
}

function filesIn(folder: string, ending: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .map(name => join(folder, name))
    .filter(path => path.endsWith(ending) && !path.endsWith('.test.ts') && statSync(path).isFile())
}

/** Tables with a column tenant_id, as the migrations make them. */
function tenantTables(migrations: string): Set<string> {
  const made = migrations.matchAll(/create table ([a-z_]+\.[a-z_]+) \(([\s\S]*?)\n\)/g)
  return new Set(
    [...made]
      .filter(([, , body]) => /^\s*tenant_id /m.test(body ?? ''))
      .map(([, name]) => name ?? ''),
  )
}

type Template = { readonly text: string; readonly end: number }

/** The text of the template that begins at `from`, with the templates inside of it. */
function templateAt(source: string, from: number): Template {
  let text = ''
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') return { text, end: at + 1 }
    if (source.startsWith('${', at)) {
      const hole = holeAt(source, at + 2)
      text += hole.text
      at = hole.end - 1
    } else text += source[at]
  }
  return { text, end: source.length }
}

function holeAt(source: string, from: number): Template {
  let text = '${'
  let depth = 0
  for (let at = from; at < source.length; at++) {
    const char = source[at]
    if (char === '}' && depth === 0) return { text: `${text}}`, end: at + 1 }
    if (char === '{') depth++
    if (char === '}') depth--
    if (char === '`') {
      const inner = templateAt(source, at + 1)
      text += inner.text
      at = inner.end - 1
    } else text += char
  }
  return { text, end: source.length }
}

/** The fragments of this source, by the name of their constant or of the function that returns them. */
function fragmentsOf(source: string): ReadonlyMap<string, string> {
  const places = source.matchAll(
    /(?:const (\w+) = (?:\([^=]*\)(?:: Sql)? => )?|function (\w+)\([^]{0,300}?\n {2}return )sql`/g,
  )
  return new Map(
    [...places].map(found => {
      const { text } = templateAt(source, found.index + found[0].length)
      return [found[1] ?? found[2] ?? '', text]
    }),
  )
}

/** The tenant is compared, or is one of the columns of a key or of an insert. */
const names_tenant = /\btenant_id\s*(?:=|<>|in\b|is\b)|[(,=]\s*(?:\w+\.)?tenant_id\b/

/** Statements of a source that touch such a table without a condition on the tenant. */
function boundless(source: string, tables: ReadonlySet<string>): string[] {
  const fragments = fragmentsOf(source)
  const found: string[] = []
  for (let at = source.indexOf('sql`'); at !== -1;) {
    const { text, end } = templateAt(source, at + 4)
    const whole = text.replaceAll(
      /\$\{(\w+)(?=[}(])/g,
      (hole, name: string) => `${fragments.get(name) ?? ''}${hole}`,
    )
    if (isBoundless(whole, tables)) found.push(whole)
    at = source.indexOf('sql`', end)
  }
  return found
}

function isBoundless(text: string, tables: ReadonlySet<string>): boolean {
  const touched = [...text.matchAll(/(?:from|join|update|into)\s+([a-z_]+\.[a-z_]+)/g)]
  const tenants = touched.some(([, table = '']) => tables.has(table))
  return tenants && !names_tenant.test(text) && !text.includes('-- any tenant: ')
}

describe('statements', () => {
  test.each(surfaces.map(folder => [folder.slice(root.length + 1), folder]))(
    '%s',
    (_name, folder) => {
      const migrations = filesIn(folder, '.sql').map(path => readFileSync(path, 'utf8'))
      const tables = tenantTables(migrations.join('\n'))
      const sources = filesIn(folder, '.ts').map(path => readFileSync(path, 'utf8'))
      const says = 'compare tenant_id here, or say why not in the SQL: -- any tenant: <reason>'
      expect(
        sources.flatMap(source => boundless(source, tables)),
        says,
      ).toEqual([])
    },
  )

  test('that forget the tenant are found', () => {
    const tables = tenantTables(
      'create table a.b (\n  tenant_id uuid not null,\n  id uuid\n);\ncreate table a.c (\n  id uuid\n);',
    )
    const found = (source: string) => boundless(source, tables).length
    expect(found('sql`select 1 from a.b where id = ${id}`')).toBe(1)
    expect(found('sql`update a.b set id = ${id}`')).toBe(1)
    expect(found('sql`select 1 from a.b where tenant_id = ${t} and id = ${id}`')).toBe(0)
    expect(found('sql`delete from a.b -- any tenant: a sweep\n where old`')).toBe(0)
    expect(
      found('const where = sql`tenant_id = ${t}`; sql`select 1 from a.b where ${where}`'),
    ).toBe(0)
    expect(found('const where = sql`id = ${t}`; sql`select 1 from a.b where ${where}`')).toBe(1)
    expect(found('sql`select 1 from a.c`')).toBe(0)
    expect(found('sql`select tenant_id from a.b where id = ${id}`')).toBe(1)
    const own = 'function own(t: string) {\n  return sql`tenant_id = ${t}`\n}\n'
    expect(found(`${own}sql\`select 1 from a.b where \${own(t)}\``)).toBe(0)
    expect(found('sql`update a.b set at = ${due(sql`null`)} where tenant_id = ${t}`')).toBe(0)
  })
})
