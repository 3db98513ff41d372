/**
 * A person's data as a list of tables. Each says who owns a row, what the export shows of it and
 * what the erasure does to it. The rows of one person in all tenants are read and erased in
 * portions.
 */
import { type Static, type TObject, Type } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import { sql, Sql } from '../database/sql.ts'
import type { Personal, PersonalAccount } from './export-and-erase.ts'

const portion = 200

type Rows = {
  /** With its schema. In conditions and views, its rows are called `t`. */
  readonly table: string
  /**
   * The column with the id of the account or API key, or another condition for the rows of the
   * person. An index finds them.
   */
  readonly owner: string | ((account: PersonalAccount) => Sql)
  /**
   * The columns that identify a row within its tenant: `id` by default. The export reads rows in
   * their order, so there they are of type uuid.
   */
  readonly key?: readonly string[]
  /**
   * `set` changes the rows that `where` selects, and must make `where` false for them. By default
   * the rows stay, because others erase them or they say nothing about a person.
   */
  readonly erase?: 'delete' | { readonly set: Sql; readonly where: Sql } | EraseSome
}

/**
 * Erases one portion and returns how many rows it found. It is called again, each time in a
 * transaction of its own, until it finds none.
 */
type EraseSome = (tx: Tx, account: PersonalAccount) => Promise<number>

type Exported = Rows & {
  /** What the export calls a row. */
  readonly kind: string
  /** The rows that are exported: all by default. */
  readonly where?: Sql
  /** The columns that are exported, the data as jsonb, or a function that makes it of a row. */
  readonly view: readonly string[] | Sql | Made
}
type Make<Row> = (row: Row, account: PersonalAccount) => Promise<unknown>
type Made = { readonly columns: readonly string[]; readonly make: Make<unknown> }

export type PersonalRows = Exported | (Rows & { readonly kind?: undefined }) | EraseSome

export function personalRows(
  db: Pick<Db, 'many' | 'run' | 'tx'>,
  all: readonly PersonalRows[],
): Personal {
  const erasures = all.map(rows => eraseSome(db, rows))
  return {
    export: async function* (account) {
      for (const rows of all) {
        if (!('kind' in rows) || rows.kind === undefined) continue
        for await (const row of read(db, rows, account)) {
          const data = 'make' in rows.view ? await rows.view.make(row, account) : row
          if (data !== undefined) yield { kind: rows.kind, data }
        }
      }
    },
    erase: async (account, signal) => {
      for (const some of erasures) {
        while ((await some(account)) > 0) signal.throwIfAborted()
      }
    },
  }
}

/** Makes the exported data from columns. Rows without data are left out. */
export function madeOf<S extends TObject>(row: S, make: Make<Static<S>>): Made {
  return { columns: Object.keys(row.properties), make: make as Make<unknown> }
}

const Row = Type.Object({ place: Type.Array(Type.String()), data: Type.Unknown() })
type Row = Static<typeof Row>

async function* read(
  db: Pick<Db, 'many'>,
  rows: Exported,
  account: PersonalAccount,
): AsyncGenerator {
  const { where = sql`true`, view } = rows
  const { table, key, owned } = partsOf(rows, account)
  const data = view instanceof Sql ? view : members('make' in view ? view.columns : view)
  for (let after: Row | undefined; ;) {
    const place = after?.place.map(part => sql`${part}::uuid`)
    const rest: Sql = place ? sql`(${key}) > (${sql.join(place, ', ')})` : sql`true`
    const found: readonly Row[] = await db.many(
      Row,
      sql`
        -- any tenant: the rows of one person
        select array[${key}]::text[] as place, ${data} as data from ${table} t
        where ${owned} and ${where} and ${rest}
        order by ${key} limit ${portion}`,
    )
    for (const one of found) yield one.data
    if (found.length < portion) return
    after = found.at(-1)
  }
}

function eraseSome(
  db: Pick<Db, 'run' | 'tx'>,
  rows: PersonalRows,
): (account: PersonalAccount) => Promise<number> {
  if (typeof rows === 'function') return account => db.tx(tx => rows(tx, account))
  const { erase: how } = rows
  if (typeof how === 'function') return account => db.tx(tx => how(tx, account))
  if (how === undefined) return () => Promise.resolve(0)
  return account => {
    const { table, row, owned } = partsOf(rows, account)
    const act =
      how === 'delete' ? sql`delete from ${table} t` : sql`update ${table} t set ${how.set}`
    const where = how === 'delete' ? sql`true` : how.where
    return db.run(sql`
      -- any tenant: the rows of one person
      ${act}
      where (${row}) in (
        select ${row} from ${table} t where ${owned} and ${where} limit ${portion})`)
  }
}

function partsOf({ table, owner, key = ['id'] }: Rows, account: PersonalAccount) {
  const columns = (names: Iterable<string>) =>
    sql.join(
      [...names].map(name => sql`t.${sql.id(name)}`),
      ', ',
    )
  return {
    table: sql`${sql.id(...table.split('.'))}`,
    key: columns(key),
    row: columns(new Set(['tenant_id', ...key])),
    owned:
      typeof owner === 'function'
        ? owner(account)
        : sql`t.${sql.id(owner)} = any(${account.principal_ids}::uuid[])`,
  }
}

function members(names: readonly string[]): Sql {
  const pairs = names.map(name => sql`${name}::text, t.${sql.id(name)}`)
  return sql`jsonb_build_object(${sql.join(pairs, ', ')})`
}
