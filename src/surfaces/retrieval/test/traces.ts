/** Where something is still kept: tables of retrieval, and files of the data folder. */
import { readdir, readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import type { RetrievalWorld } from './retrieval-world.ts'

const Table = Type.Object({ name: Type.String() })

/** In any column: as text, or as bytes that PostgreSQL shows in hexadecimal digits. */
export async function tablesWith(
  { platform: { kernel } }: RetrievalWorld,
  mark: string | Buffer,
): Promise<string[]> {
  const texts =
    typeof mark === 'string' ? [mark, Buffer.from(mark).toString('hex')] : [mark.toString('hex')]
  const tables = await kernel.db.many(
    Table,
    sql`select tablename as name from pg_tables where schemaname = 'retrieval' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await kernel.db.many(
      Table,
      sql`
        -- any tenant: of this test
        select ${name}::text as name from retrieval.${sql.id(name)} t
        where t::text like any(${texts.map(text => `%${text}%`)}::text[]) limit 1`,
    )
    found.push(...rows.map(row => row.name))
  }
  return found
}

export async function filesWith(
  { data_dir }: RetrievalWorld,
  mark: string | Buffer,
): Promise<string[]> {
  // A table that is dropped while we look is looked at again.
  const names = await eventually(
    'the folder is read',
    async () =>
      await readdir(data_dir, { recursive: true, withFileTypes: true }).catch(() => undefined),
  )
  const files = names.filter(one => one.isFile()).map(one => `${one.parentPath}/${one.name}`)
  const found: string[] = []
  for (const file of files) {
    const content = await readFile(file).catch(() => Buffer.alloc(0))
    if (content.includes(mark)) found.push(file)
  }
  return found
}
