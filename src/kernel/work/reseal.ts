/**
 * After a rotation of a keyring, sealed columns are sealed again under the current key. So the old
 * key can leave the ring. This runs in batches while the columns are in use. Surfaces declare the
 * columns. A value that was changed or deleted meanwhile is left as it is. A value that cannot be
 * opened stops neither the other values nor the other columns.
 */
import { Type, type Static } from 'typebox'
import type { Db } from '../database/db.ts'
import { logFailure } from '../database/log-failure.ts'
import { sql, type Sql } from '../database/sql.ts'
import type { Associated, Keyring } from '../keys.ts'
import type { Log } from '../observability/log.ts'
import type { Loop } from './loop.ts'

type Needs = { readonly db: Pick<Db, 'many' | 'run'>; readonly keys: Ring }

export type Ring = Pick<Keyring, 'kids' | 'seal' | 'open' | 'sealedWith'>
/** The columns of the key, and the columns of `also`. */
export type SealedRow = Readonly<Record<string, unknown>>

export type SealedColumn = {
  readonly table: string
  /** Columns of the primary key. */
  readonly key: readonly string[]
  readonly column: string
  /** The use for which the key is derived. */
  readonly use: string
  /** The keyring, if it is not the platform's. */
  readonly ring?: Ring
  readonly where?: Sql
  /** Further columns that `place` needs. */
  readonly also?: readonly string[]
  /** The place at which the value was sealed. For existing data it never changes. */
  place(row: SealedRow): Associated
}

const batch = 500
const every_ms = 3_600_000
const Row = Type.Object({ sealed: Type.Unknown() })

export function resealLoop(
  kernel: Needs & { readonly log: Log },
  declared: readonly SealedColumn[],
): Loop {
  return {
    name: 'kernel.reseal',
    every_ms,
    run: async signal => {
      for (const column of declared) {
        await resealColumn(kernel, column, signal).catch((error: unknown) => {
          const fields = { err: error, table: column.table }
          logFailure(kernel.log, fields, 'values could not be sealed again', 'error')
        })
      }
    },
  }
}

/** Returns how many values were sealed again. Throws at the end if a value could not be opened. */
export async function resealColumn(
  { db, keys }: Needs,
  column: SealedColumn,
  signal?: AbortSignal,
): Promise<number> {
  const ring = column.ring ?? keys
  // If the ring has only one key, every value is already sealed with that key.
  if (ring.kids.length === 1) return 0
  let resealed = 0
  const failed: unknown[] = []
  let after: SealedRow | null = null
  while (!signal?.aborted) {
    const rows: readonly SealedRow[] = await readBatch(db, column, after)
    for (const row of rows) {
      const fresh = again(ring, column, row, failed)
      if (fresh) resealed += await replace(db, column, row, fresh)
    }
    after = rows.at(-1) ?? null
    if (rows.length < batch) break
  }
  const [first] = failed
  if (first !== undefined) {
    throw new Error(`${failed.length} values of ${column.table} cannot be opened`, { cause: first })
  }
  return resealed
}

/** Undefined if the value has the current key already, or cannot be opened. */
function again(ring: Ring, column: SealedColumn, row: SealedRow, failed: unknown[]) {
  const sealed = row['sealed'] as Buffer // bytea
  try {
    if (ring.sealedWith(sealed) === ring.kids[0]) return undefined
    const place = column.place(row)
    return ring.seal(column.use, ring.open(column.use, sealed, place), place)
  } catch (error) {
    failed.push(error)
    return undefined
  }
}

async function readBatch(
  db: Pick<Db, 'many'>,
  column: SealedColumn,
  after: SealedRow | null,
): Promise<readonly Static<typeof Row>[]> {
  const { table, key, where, also = [] } = column
  const names = (list: readonly string[]) =>
    sql.join(
      list.map(name => sql`t.${sql.id(name)}`),
      ', ',
    )
  const place = after
    ? sql`and (${names(key)}) > (${sql.join(
        key.map(name => sql`${after[name]}`),
        ', ',
      )})`
    : sql.empty
  return await db.many(
    Row,
    sql`
      select ${names([...key, ...also])}, t.${sql.id(column.column)} as sealed
      from ${sql.id(...table.split('.'))} t
      where t.${sql.id(column.column)} is not null ${where ? sql`and ${where}` : sql.empty} ${place}
      order by ${names(key)} limit ${batch}`,
  )
}

function replace(db: Pick<Db, 'run'>, column: SealedColumn, row: SealedRow, fresh: Buffer) {
  const name = sql.id(column.column)
  const same = column.key.map(one => sql`${sql.id(one)} = ${row[one]}`)
  return db.run(sql`
    update ${sql.id(...column.table.split('.'))} set ${name} = ${fresh}
    where ${sql.join(same, ' and ')} and ${name} = ${row['sealed']}`)
}
