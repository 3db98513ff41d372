/**
 * The rows of a list. Further pages are read while the person scrolls. After a live change the
 * first pages are read again and their rows are replaced by key, so that nothing jumps.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../../client/src/index.ts'
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
  /** The rows of a page. */
  readonly limit?: number
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

const emptyOf = (about: string): State => ({
  about,
  rows: [],
  cursor: null,
  has_more: false,
  error: null,
  loading: true,
})

export function useList({ list, path, filters, key, limit = page_size }: Source): Listed {
  const about = JSON.stringify([list, path, filters])
  const [state, set] = useState<State>(emptyOf(about))
  const shown = state.about === about ? state : emptyOf(about)
  const wanted = useRef(about)
  wanted.current = about
  const busy = useRef(0)
  const owed = useRef(false)
  const [turn, again] = useState(0)

  const read = async (cursor: string | null, join: Join) => {
    busy.current++
    try {
      const query = { ...filters, limit, ...(cursor === null ? {} : { cursor }) }
      const page = (await callOperation(list, { path, query })) as Page
      // A reply to a request with earlier filters is ignored.
      if (wanted.current === about) set(now => join(now.about === about ? now : shown, page))
    } catch (error) {
      // A person who may no longer see the rows does not keep them on the screen.
      const may_not_see = error instanceof Problem && [401, 403].includes(error.status)
      const kept = may_not_see ? emptyOf(about) : shown
      if (wanted.current === about) set({ ...kept, error, loading: false })
    } finally {
      busy.current--
      // The rows of this read are shown first, because the next read joins them.
      if (owed.current && busy.current === 0) again(n => n + 1)
    }
  }
  const first = () => read(null, (_before, page) => following(about, [], page))
  const reload = () => {
    // What changed meanwhile may be missing in the running read, so the list is read once more.
    owed.current = busy.current > 0
    if (owed.current) return
    // Further pages stay. Their rows are replaced if the first page contains them.
    if (shown.rows.length <= limit) void first()
    else
      void read(null, (before, page) => {
        return { ...before, rows: exchanged(before.rows, page, key), error: null }
      })
  }
  useEffect(() => void first(), [about])
  useEffect(() => {
    if (owed.current) reload()
  }, [turn])
  return {
    rows: shown.rows,
    has_more: shown.has_more,
    loading: shown.loading,
    error: shown.error,
    more: () => {
      // After a refusal only a reload reads again. Otherwise a failing page would be requested
      // without end.
      if (busy.current > 0 || shown.error !== null) return
      if (!shown.has_more || shown.cursor === null) return
      void read(shown.cursor, (before, page) => following(about, before.rows, page))
    },
    reload,
  }
}

type Join = (before: State, page: Page) => State

function following(about: string, before: readonly Row[], page: Page): State {
  const { data, next_cursor: cursor, has_more } = page
  return { about, rows: [...before, ...data], cursor, has_more, error: null, loading: false }
}

function exchanged(before: readonly Row[], page: Page, key: (row: Row) => string): Row[] {
  const known = new Set(before.map(key))
  const fresh = new Map(page.data.map(row => [key(row), row]))
  const added = page.data.filter(row => !known.has(key(row)))
  return [...added, ...before.map(row => fresh.get(key(row)) ?? row)]
}
