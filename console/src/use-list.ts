/**
 * The rows of a list, page after page as they are scrolled to. After a live change the first pages
 * are read again and the rows are exchanged by their key, so that nothing jumps.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { callOperation, type OperationId, type Page, type Row } from './operation.ts'

export type Listed = {
  readonly rows: readonly Row[]
  readonly has_more: boolean
  readonly loading: boolean
  readonly error: unknown
  more(): void
  reload(): void
}

type Source = {
  readonly list: OperationId
  readonly path: Readonly<Record<string, string>>
  readonly filters: Readonly<Record<string, unknown>>
  key(row: Row): string
}

type State = {
  readonly about: string
  readonly rows: readonly Row[]
  readonly cursor: string | null
  readonly has_more: boolean
  readonly error: unknown
  readonly loading: boolean
}

const page_size = 100

export function useList({ list, path, filters, key }: Source): Listed {
  const about = JSON.stringify([list, path, filters])
  const empty = { about, rows: [], cursor: null, has_more: false, error: null, loading: true }
  const [state, set] = useState<State>(empty)
  const latest = useRef(state)
  latest.current = state.about === about ? state : empty
  const busy = useRef(false)

  const read = useCallback(
    async (cursor: string | null, keep: (before: readonly Row[], came: Page) => State) => {
      const asked = JSON.stringify([list, path, filters])
      busy.current = true
      try {
        const limit = page_size
        const query = { ...filters, limit, ...(cursor === null ? {} : { cursor }) }
        const page = (await callOperation(list, { path, query })) as Page
        set(now => (now.about === asked || cursor === null ? keep(now.rows, page) : now))
      } catch (error) {
        set({ ...latest.current, about: asked, error, loading: false })
      } finally {
        busy.current = false
      }
    },
    [about],
  )
  const first = useCallback(
    () =>
      read(null, (_before, page) => ({
        ...{ about, rows: page.data, cursor: page.next_cursor },
        ...{ has_more: page.has_more, error: null, loading: false },
      })),
    [read],
  )
  useEffect(() => {
    set(empty)
    void first()
  }, [about])

  const shown = latest.current
  return {
    rows: shown.rows,
    has_more: shown.has_more,
    loading: shown.loading,
    error: shown.error,
    more: () => {
      if (busy.current || !shown.has_more || shown.cursor === null) return
      void read(shown.cursor, (before, page) => ({
        ...{ about, rows: [...before, ...page.data], cursor: page.next_cursor },
        ...{ has_more: page.has_more, error: null, loading: false },
      }))
    },
    reload: () => {
      if (busy.current) return
      if (shown.rows.length <= page_size) return void first()
      // Further pages stay as they are: their rows are exchanged where the first page has them.
      void read(null, (before, page) => {
        const known = new Set(before.map(key))
        const fresh = new Map(page.data.map(row => [key(row), row]))
        const added = page.data.filter(row => !known.has(key(row)))
        return {
          ...latest.current,
          rows: [...added, ...before.map(row => fresh.get(key(row)) ?? row)],
        }
      })
    },
  }
}
