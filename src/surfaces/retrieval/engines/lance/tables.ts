/** The operations of an index, inside the child process, on tables of LanceDB. */
import { connect, type Connection, type Table } from '@lancedb/lancedb'
import type { RetrievalIndex } from '../index.ts'
import { checkLease, openHandles } from './handles.ts'
import { buildVectorIndex, createIndexes, optimize } from './indexes.ts'
import type { Storage } from './protocol.ts'
import { schemaOf, specOf, tableOf } from './rows.ts'
import { documentsOf, integer, searchTable } from './search-table.ts'

export type Tables = Omit<RetrievalIndex, 'close'>

export async function openTables({ uri, options }: Storage): Promise<Tables> {
  const db = await connect(uri, { storageOptions: { ...options }, readConsistencyInterval: 0 })
  const { reading, writing, completing, inOrder, changesOf, forget } = openHandles(db)
  return {
    create: async (name, spec) => {
      const table = await db.createEmptyTable(name, schemaOf(spec), { existOk: true })
      await createIndexes(table, spec.language)
    },
    upsert: async (name, rows, lease) => {
      if (rows.length === 0) return
      await writing(name, lease, async table => {
        const arrow = tableOf(rows, specOf(await table.schema()))
        const merge = table.mergeInsert('chunk_id')
        await merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(arrow)
        return rows.length
      })
    },
    setAccess: async (name, document_no, acl_set_id, lease) => {
      await writing(name, lease, async table => {
        const where = `document_no = ${integer(document_no)}`
        const valuesSql = { acl_set_id: `${integer(acl_set_id)}` }
        return (await table.update({ where, valuesSql })).rowsUpdated
      })
    },
    deleteByDocument: async (name, document_no, lease, below_version) => {
      await writing(name, lease, async table => {
        const older =
          below_version === undefined ? '' : ` and document_version < ${integer(below_version)}`
        await table.delete(`document_no = ${integer(document_no)}${older}`)
        return 0
      })
    },
    search: async (name, query) =>
      await reading(name, async table => await searchTable(table, query)),
    documents: async (name, from, to) =>
      await reading(name, async table => await documentsOf(table, from, to)),
    count: async name => await reading(name, async table => await table.countRows()),
    compact: async (name, lease) => {
      await writing(name, lease, async table => {
        await optimize(table)
        return -changesOf(name)
      })
    },
    completeIndexes: async name => {
      await completing(name)
    },
    copy: async (from, to, lease) => {
      await inOrder(from, async () => {
        checkLease(lease)
        forget(to)
        await dropTable(db, to)
        await reading(from, async table => await copyTable(db, table, to))
      })
    },
    drop: async name => {
      await inOrder(name, async () => {
        forget(name)
        await dropTable(db, name)
      })
    },
  }
}

/** Another process may write a file while the folder is removed. Then the rest is removed again. */
async function dropTable(db: Connection, name: string, attempts = 5): Promise<void> {
  try {
    await db.dropTable(name)
  } catch (error) {
    if (attempts > 1 && /not empty/i.test(String(error))) await dropTable(db, name, attempts - 1)
    else if (!/not found|does not exist/i.test(String(error))) throw error
  }
}

async function copyTable(db: Connection, source: Table, to: string): Promise<void> {
  const schema = await source.schema()
  const target = await db.createEmptyTable(to, schema)
  await createIndexes(target, specOf(schema).language)
  for await (const batch of source.query()) {
    await target.add({ schema, batches: [batch] })
  }
  await optimize(target)
  await buildVectorIndex(target)
}
