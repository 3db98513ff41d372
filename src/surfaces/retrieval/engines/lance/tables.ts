/**
 * Index tables in LanceDB, inside the child process. Writes to one table run one after another, because
 * writers of LanceDB conflict.
 */
import { connect, type Connection, type Table } from '@lancedb/lancedb'
import { IndexFailed, monotonicMs, type Lease, type RetrievalIndex } from '../index.ts'
import { buildVectorIndex, createIndexes, optimize } from './indexes.ts'
import type { Storage } from './protocol.ts'
import { schemaOf, specOf, tableOf } from './rows.ts'
import { documentsOf, integer, searchTable } from './search-table.ts'

/** Rows that no index has are searched one by one; joining them costs about 50 ms a time. */
const changes_before_optimize = 2000
const open_tables_max = 100

export type Tables = Omit<RetrievalIndex, 'close'>

export async function openTables({ uri, options }: Storage): Promise<Tables> {
  const db = await connect(uri, { storageOptions: { ...options }, readConsistencyInterval: 0 })
  const open = new Map<string, Table>()
  const changes = new Map<string, number>()
  const inOrder = queueByTable()
  const tableNamed = async (name: string): Promise<Table> => {
    const known = open.get(name)
    if (known) return known
    const table = await openTable(db, name)
    const [oldest] = open.keys()
    if (open.size >= open_tables_max && oldest !== undefined) open.delete(oldest)
    open.set(name, table)
    return table
  }
  /** A table that was dropped or replaced since it was opened is opened again, once. */
  const reading = async <T>(name: string, read: (table: Table) => Promise<T>): Promise<T> => {
    const was_open = open.has(name)
    try {
      return await read(await tableNamed(name))
    } catch (error) {
      open.delete(name)
      if (!was_open || error instanceof IndexFailed) throw error
      return await read(await tableNamed(name))
    }
  }
  const writing = async (
    name: string,
    lease: Lease,
    write: (table: Table) => Promise<number>,
  ): Promise<void> => {
    await inOrder(name, async () => {
      checkLease(lease)
      await reading(name, async table => {
        const sum = (changes.get(name) ?? 0) + (await write(table))
        if (sum >= changes_before_optimize) await optimize(table)
        changes.set(name, sum >= changes_before_optimize ? 0 : sum)
      })
    })
  }
  return {
    create: async (name, spec) => {
      const table = await db.createEmptyTable(name, schemaOf(spec), { existOk: true })
      const indices = await table.listIndices()
      if (indices.length === 0) await createIndexes(table, spec.language)
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
        return -(changes.get(name) ?? 0)
      })
    },
    buildVectorIndex: async name => await reading(name, buildVectorIndex),
    copy: async (from, to, lease) => {
      await inOrder(from, async () => {
        checkLease(lease)
        open.delete(to)
        await dropTable(db, to)
        await copyTable(db, await tableNamed(from), to)
      })
    },
    drop: async name => {
      await inOrder(name, async () => {
        open.delete(name)
        changes.delete(name)
        await dropTable(db, name)
      })
    },
  }
}

/** One call after another for each table. */
function queueByTable() {
  const last = new Map<string, Promise<unknown>>()
  return async (name: string, run: () => Promise<void>): Promise<void> => {
    const before = last.get(name) ?? Promise.resolve()
    const now = before.then(run, run)
    last.set(name, now)
    try {
      await now
    } finally {
      if (last.get(name) === now) last.delete(name)
    }
  }
}

function checkLease({ until_ms }: Lease): void {
  if (monotonicMs() < until_ms) return
  throw new IndexFailed('lease_ended', 'The lease of the writer has ended.')
}

async function openTable(db: Connection, name: string): Promise<Table> {
  try {
    return await db.openTable(name)
  } catch (error) {
    if (!/not found|does not exist/i.test(String(error))) throw error
    throw new IndexFailed('table_missing', `There is no index table ${name}.`, { cause: error })
  }
}

async function dropTable(db: Connection, name: string): Promise<void> {
  try {
    await db.dropTable(name)
  } catch (error) {
    if (!/not found|does not exist/i.test(String(error))) throw error
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
