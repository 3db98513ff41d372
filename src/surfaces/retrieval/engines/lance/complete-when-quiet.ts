/**
 * Has the indexes of a table completed when no row has been written for a while. So an import is
 * searched quickly soon after its end, and not only after the next sweep. During an import this
 * would make the import slower: each portion of rows would become one more part of the vector index.
 */
const tables_max = 1000

export function completeWhenQuiet(complete: (table: string) => Promise<void>, quiet_ms: number) {
  const tables = new Map<string, NodeJS.Timeout>()
  const forget = (table: string): void => {
    clearTimeout(tables.get(table))
    tables.delete(table)
  }
  const start = (table: string): void => {
    tables.delete(table)
    // The sweep repeats what failed.
    complete(table).catch(() => {})
  }
  return {
    wrote: (table: string): void => {
      const waiting = tables.get(table)
      if (waiting) return void waiting.refresh()
      // The tables beyond this number wait for the sweep.
      if (tables.size < tables_max) tables.set(table, setTimeout(start, quiet_ms, table).unref())
    },
    forget,
    close: (): void => {
      for (const table of tables.keys()) forget(table)
    },
  }
}
