/**
 * Open tables, and the order of writes. Writes to one table run one after another, because writers
 * of LanceDB conflict.
 */
import type { Connection, Table } from '@lancedb/lancedb'
import { IndexFailed, monotonicMs, type Lease } from '../index.ts'
import { buildVectorIndex, optimize } from './indexes.ts'

/**
 * Rows that are not in an index are searched one by one. Adding them to the index costs about 50 ms
 * each time.
 */
const changes_before_optimize = 2000
const open_tables_max = 100

export function openHandles(db: Connection) {
  const open = new Map<string, Table>()
  /** Rows that were written since the last `optimize`. */
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
  /** If a table was dropped or replaced since it was opened, it is opened again, once. */
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
  /** `write` returns how many rows it wrote. */
  const writing = async (
    name: string,
    lease: Lease,
    write: (table: Table) => Promise<number>,
  ): Promise<void> => {
    await inOrder(name, async () => {
      checkLease(lease)
      await reading(name, async table => {
        const sum = (changes.get(name) ?? 0) + (await write(table))
        const optimized = sum >= changes_before_optimize && (await optimizeUnlessBuilding(table))
        changes.set(name, optimized ? 0 : sum)
      })
    })
  }
  const completing = oneAtATime(async name => {
    await inOrder(name, () => reading(name, optimize))
    await reading(name, buildVectorIndex)
  })
  return {
    reading,
    writing,
    completing,
    inOrder,
    changesOf: (name: string) => changes.get(name) ?? 0,
    forget: (name: string) => {
      open.delete(name)
      changes.delete(name)
    },
  }
}

/**
 * Two builds of one vector index at the same time would make each other fail. A run that has begun
 * may have missed the newest rows, so another one follows it.
 */
function oneAtATime(run: (name: string) => Promise<void>) {
  const running = new Map<string, { now: Promise<void>; next?: Promise<void> }>()
  const start = (name: string): Promise<void> => {
    const now = run(name).finally(() => running.delete(name))
    running.set(name, { now })
    return now
  }
  return (name: string): Promise<void> => {
    const current = running.get(name)
    if (!current) return start(name)
    // Another call may have started one in between. It began after this call, so it is enough.
    const again = () => running.get(name)?.now ?? start(name)
    current.next ??= current.now.then(again, again)
    return current.next
  }
}

/**
 * The rows are written already, so a conflict with the build of the vector index must not fail the
 * write. They are added to the indexes later.
 */
async function optimizeUnlessBuilding(table: Table): Promise<boolean> {
  try {
    await optimize(table)
    return true
  } catch (error) {
    if (!/commit conflict/i.test(String(error))) throw error
    return false
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

export function checkLease({ until_ms }: Lease): void {
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
