/** The id of this cell: its database, by which other cells with the same bucket know it. */
import { Type } from 'typebox'
import type { Db } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import { newId } from '../ids.ts'

const Cell = Type.Object({ id: Type.String() })

/** Written at its first use, so that databases that were made from one template differ. */
export async function cellId(db: Pick<Db, 'one' | 'run'>): Promise<string> {
  await db.run(sql`insert into kernel.cell (id) values (${newId()}) on conflict do nothing`)
  return (await db.one(Cell, sql`select id from kernel.cell`)).id
}
