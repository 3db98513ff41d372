/**
 * Has the vector index of a growing table built before the next sweep: once when this process has
 * written `vector_index_rows`, so that a long import is searched quickly, and again when no row has
 * been written for half a minute, so that the parts of the index are merged.
 */
import { vector_index_rows } from './indexes.ts'

const quiet_ms = 30_000
const tables_max = 1000

type Growing = { written: number; built: boolean; readonly quiet: NodeJS.Timeout }

export function watchGrowth(build: (table: string) => Promise<void>) {
  const tables = new Map<string, Growing>()
  // The sweep repeats a build that failed.
  const start = (table: string) => void build(table).catch(() => {})
  const forget = (table: string): void => {
    clearTimeout(tables.get(table)?.quiet)
    tables.delete(table)
  }
  const watch = (table: string): Growing => {
    const [oldest] = tables.keys()
    if (tables.size >= tables_max && oldest !== undefined) forget(oldest)
    const quiet = setTimeout(start, quiet_ms, table).unref()
    const growing = { written: 0, built: false, quiet }
    tables.set(table, growing)
    return growing
  }
  return {
    grew: (table: string, rows: number): void => {
      const growing = tables.get(table) ?? watch(table)
      growing.written += rows
      growing.quiet.refresh()
      if (growing.built || growing.written < vector_index_rows) return
      growing.built = true
      start(table)
    },
    forget,
    close: (): void => {
      for (const table of tables.keys()) forget(table)
    },
  }
}
