/**
 * A person's data in the usual case: tables with an owner and an id, whose rows are exported as
 * declared and deleted in portions.
 */
import type { TObject, TString } from 'typebox'
import type { Db } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import { rowsById, type Personal } from './personal.ts'

const portion = 200

export type OwnedRows = {
  /** What the export calls a row. */
  readonly kind: string
  /** With its schema. An index finds its rows by `owner` and `id`. */
  readonly table: string
  /** The column with the id of the account or API key. */
  readonly owner: string
  /** The columns that are exported, with `id`. */
  readonly row: TObject<{ id: TString }>
}

export function ownedRows(db: Pick<Db, 'many' | 'run'>, all: readonly OwnedRows[]): Personal {
  return {
    export: async function* ({ principal_ids }) {
      for (const { kind, table, owner, row } of all) {
        const columns = sql.join(
          Object.keys(row.properties).map(name => sql`${sql.id(name)}`),
          ', ',
        )
        const fetch = async (after: string | null) =>
          await db.many(
            row,
            sql`
              -- any tenant: the rows of one person
              select ${columns} from ${sql.id(...table.split('.'))}
              where ${sql.id(owner)} = any(${principal_ids}::uuid[])
                and (${after}::uuid is null or id > ${after}::uuid)
              order by id limit ${portion}`,
          )
        for await (const data of rowsById(portion, fetch)) yield { kind, data }
      }
    },
    erase: async ({ principal_ids }, signal) => {
      for (const { table, owner } of all) {
        const name = sql.id(...table.split('.'))
        const some = () =>
          db.run(sql`
            -- any tenant: the rows of one person
            delete from ${name} where ctid = any(array(select ctid from ${name}
              where ${sql.id(owner)} = any(${principal_ids}::uuid[]) limit ${portion}))`)
        while ((await some()) === portion) signal.throwIfAborted()
      }
    },
  }
}
