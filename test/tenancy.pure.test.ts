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

/** Statements of a source that touch such a table without a word on tenants. */
function boundless(source: string, tables: ReadonlySet<string>): string[] {
  const fragments = new Map(
    [...source.matchAll(/const (\w+) = sql`([^`]*)`/g)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  )
  return [...source.matchAll(/sql`([^`]*)`/g)]
    .map(([, text = '']) =>
      text.replaceAll(/\$\{(\w+)\}/g, (hole, name: string) => fragments.get(name) ?? hole),
    )
    .filter(text => {
      const touched = [...text.matchAll(/(?:from|join|update|into)\s+([a-z_]+\.[a-z_]+)/g)]
      const tenants = touched.some(([, table = '']) => tables.has(table))
      return tenants && !text.includes('tenant_id') && !text.includes('-- any tenant: ')
    })
}

describe('statements', () => {
  test.each(surfaces.map(folder => [folder.slice(root.length + 1), folder]))(
    '%s',
    (_name, folder) => {
      const migrations = filesIn(folder, '.sql').map(path => readFileSync(path, 'utf8'))
      const tables = tenantTables(migrations.join('\n'))
      const sources = filesIn(folder, '.ts').map(path => readFileSync(path, 'utf8'))
      expect(sources.flatMap(source => boundless(source, tables))).toEqual([])
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
  })
})
