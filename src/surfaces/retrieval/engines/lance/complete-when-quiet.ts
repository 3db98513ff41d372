/**
 * Has the indexes of a table completed when no row has been written for a while. So an import is
 * searched quickly soon after its end, and not only after the next sweep. During an import this
 * would make the import slower: each portion of rows would become one more part of the vector index.
 */
const tables_max = 1000
const failures_max = 10

export function completeWhenQuiet(complete: (table: string) => Promise<void>, quiet_ms: number) {
  const tables = new Map<string, NodeJS.Timeout>()
  let closed = false
  const wait = (table: string, failures: number): void => {
    // The tables beyond this number wait for the sweep.
    if (closed || tables.has(table) || tables.size >= tables_max) return
    tables.set(table, setTimeout(start, quiet_ms, table, failures).unref())
  }
  const start = (table: string, failures: number): void => {
    tables.delete(table)
    // A writer of another process may have changed the table meanwhile.
    complete(table).catch(() => failures < failures_max && wait(table, failures + 1))
  }
  const forget = (table: string): void => {
    clearTimeout(tables.get(table))
    tables.delete(table)
  }
  return {
    wrote: (table: string): void => {
      const waiting = tables.get(table)
      if (waiting) waiting.refresh()
      else wait(table, 0)
    },
    forget,
    close: (): void => {
      closed = true
      for (const table of tables.keys()) forget(table)
    },
  }
}
