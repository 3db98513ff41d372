/**
 * The tables with rows of a tenant, read from the database itself and joined with what surfaces
 * declare. They are in an order in which rows can be inserted: a table after those it refers to.
 */
import type { DirectClient } from '../../kernel/database/direct.ts'
import type { Tenancy } from '#dodeca/kernel'
import { kernelTenancy } from '../../kernel/work/tenancy.ts'
import type { Composition } from '../platform-parts.ts'

export type TenantTable = {
  /** Such as `links.links`. */
  readonly name: string
  /** The columns that are written; generated ones are left out. */
  readonly columns: readonly string[]
  readonly identities: readonly string[]
  /** Columns that hold the key of an object. */
  readonly objects: readonly string[]
  /** Whether rows are claimed in batches over all tenants. */
  readonly leased: boolean
  readonly has_tenant: boolean
  /** Conditions on `t`; `$1` is the tenant. */
  readonly rows: string
  readonly exported: string | null
  readonly deleted: string | null
  readonly kept: string | null
  readonly blocks: string | null
  readonly unfinished: { readonly rows: string; readonly reason: string } | null
  readonly drains: boolean
  readonly renewed: string | null
  /** Columns with positions of the log of a cell. */
  readonly positions: readonly string[]
  readonly days: { readonly column: string; readonly prepare: string } | null
  /** Which rows are people who may have left data in other tenants. */
  readonly guests: string | null
  readonly ends: string | null
  readonly change_log: { readonly table: string; readonly columns: readonly string[] } | null
  /** Triggers that refuse deletes. */
  readonly guards: readonly string[]
}

type Found = {
  readonly name: string
  readonly columns: string[]
  readonly generated: string[]
  readonly identities: string[]
  readonly refers: string[]
  readonly guards: string[]
}

/** A column with one of these names holds the key of an object. */
const object_columns = new Set(['storage_key', 'blob_key'])

export function tenancyOf({ surfaces }: Composition): Tenancy {
  return Object.assign({}, kernelTenancy, ...surfaces.map(one => one.tenancy ?? {})) as Tenancy
}

export async function tenantTables(
  client: DirectClient,
  schemas: readonly string[],
  tenancy: Tenancy,
): Promise<TenantTable[]> {
  const found = await readTables(client, schemas)
  const faults = faultsOf(found, tenancy)
  if (faults.length > 0) throw new Error(faults.join('; '))
  return inOrder(found).flatMap(one => tableOf(one, tenancy))
}

/** Tables without a declaration, and declarations of tables that do not exist. */
function faultsOf(found: readonly Found[], tenancy: Tenancy): string[] {
  const names = new Set(found.map(({ name }) => name))
  const unknown = Object.keys(tenancy).filter(
    name => !names.has(name) && found.some(one => schemaOf(one.name) === schemaOf(name)),
  )
  const open = found.filter(({ name, columns }) => {
    const given = tenancy[name]
    return !columns.includes('tenant_id') && !(given && ('cell' in given || given.rows))
  })
  return [
    ...unknown.map(name => `the tenancy of ${name} is declared, but there is no such table`),
    ...open.map(({ name }) => `${name} has no tenant_id, and no tenancy is declared for it`),
  ]
}

function schemaOf(name: string): string {
  return name.split('.')[0] ?? ''
}

function tableOf(
  { name, columns, generated, identities, guards }: Found,
  tenancy: Tenancy,
): TenantTable[] {
  const given = tenancy[name] ?? {}
  if ('cell' in given) return []
  const rows = given.rows ?? 't.tenant_id = $1'
  const exported = given.moves ? `(${rows}) and (${given.moves})` : rows
  const deleted = given.falls ? `(${rows}) or (${given.falls})` : rows
  return [
    {
      name,
      columns: columns.filter(column => !generated.includes(column)),
      identities,
      objects: columns.filter(column => object_columns.has(column)),
      leased: columns.some(column => column.endsWith('leased_until')),
      has_tenant: columns.includes('tenant_id'),
      rows,
      exported: given.stays ? null : exported,
      deleted: given.kept ? null : deleted,
      kept: given.kept ?? null,
      blocks: given.blocks ?? null,
      unfinished: given.unfinished ?? null,
      drains: given.drains === true,
      renewed: given.renewed ?? null,
      positions: given.positions ?? [],
      days: given.days ?? null,
      guests: given.guests ?? null,
      ends: given.ends ?? null,
      change_log: given.change_log ?? null,
      guards,
    },
  ]
}

async function readTables(client: DirectClient, schemas: readonly string[]): Promise<Found[]> {
  const { rows } = await client.query<Found>(
    `
    select n.nspname || '.' || c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.attgenerated <> '') as generated,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.attidentity <> '') as identities,
      array(select distinct rn.nspname || '.' || r.relname
        from pg_constraint f join pg_class r on r.oid = f.confrelid
        join pg_namespace rn on rn.oid = r.relnamespace
        where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0) as refers,
      array(select g.tgname::text from pg_trigger g
        where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 8 = 8
          and g.tgname not like 'hold\\_%') as guards
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`,
    [schemas],
  )
  return rows
}

/** A table after all those that its foreign keys refer to. */
function inOrder(tables: readonly Found[]): Found[] {
  const by_name = new Map(tables.map(one => [one.name, one]))
  const ordered: Found[] = []
  const placed = new Set<string>()
  const place = (one: Found, above: readonly string[]) => {
    if (placed.has(one.name)) return
    if (above.includes(one.name)) throw new Error(`foreign keys in a circle: ${above.join(', ')}`)
    for (const name of one.refers) {
      const other = by_name.get(name)
      if (other && name !== one.name) place(other, [...above, one.name])
    }
    placed.add(one.name)
    ordered.push(one)
  }
  for (const one of tables) place(one, [])
  return ordered
}

export function quoted(name: string): string {
  return name
    .split('.')
    .map(part => `"${part}"`)
    .join('.')
}

export function listOf(columns: readonly string[], alias = ''): string {
  return columns.map(column => `${alias}${quoted(column)}`).join(', ')
}
