/**
 * The records of a vendor, in tables, in the order in which they were made. A change is a unit of
 * work. All its records are one line of the journal, which is written before the vendor replies. So
 * after a SIGKILL either the whole change is there or nothing.
 */
import { join } from 'node:path'
import { openJournal } from './journal.ts'
import type { Setup } from './vendor.ts'

export type RecordStore<Tables> = {
  get<T extends keyof Tables>(table: T, id: string): Tables[T] | undefined
  /** Lists the oldest first. */
  all<T extends keyof Tables>(table: T): Tables[T][]
  /**
   * Runs a change. When this returns, its records are on the disk. If the change throws, nothing is
   * written.
   */
  change<R>(work: (change: RecordChange<Tables>) => R): R
  /** Deletes all records. */
  reset(): void
  close(): void
}

export type RecordChange<Tables> = {
  get<T extends keyof Tables>(table: T, id: string): Tables[T] | undefined
  put<T extends keyof Tables>(table: T, id: string, value: Tables[T]): void
  drop(table: keyof Tables, id: string): void
}

type Put = readonly [table: PropertyKey, id: string, value: unknown]

export function openRecordStore<Tables>({
  folder,
  clock,
}: Pick<Setup, 'folder' | 'clock'>): RecordStore<Tables> {
  let tables = new Map<PropertyKey, Map<string, unknown>>()
  const tableOf = (name: PropertyKey) => {
    const known = tables.get(name)
    if (known) return known
    const made = new Map<string, unknown>()
    tables.set(name, made)
    return made
  }
  const apply = (puts: readonly Put[]) => {
    for (const [table, id, value] of puts) {
      if (value === null) tableOf(table).delete(id)
      else tableOf(table).set(id, value)
    }
  }
  const journal = openJournal({
    file: join(folder, 'journal.ndjson'),
    nowMs: () => clock.nowMs(),
    replay: entry => apply(entry as Put[]),
  })
  const get: RecordStore<Tables>['get'] = (table, id) => tableOf(table).get(id) as never
  return {
    get,
    all: table => [...tableOf(table).values()] as never[],
    change: work => {
      const puts = new Map<string, Put>()
      const result = work({
        get: (table, id) => {
          const drafted = puts.get(`${String(table)} ${id}`)
          return drafted ? ((drafted[2] ?? undefined) as never) : get(table, id)
        },
        put: (table, id, value) => void puts.set(`${String(table)} ${id}`, [table, id, value]),
        drop: (table, id) => void puts.set(`${String(table)} ${id}`, [table, id, null]),
      })
      if (puts.size > 0) {
        const entry = [...puts.values()]
        journal.append(entry)
        apply(entry)
      }
      return result
    },
    reset: () => {
      tables = new Map()
      journal.keepOnly([])
    },
    close: () => journal.close(),
  }
}
