/**
 * Reads from the API for a part of the page: the result or the error, and a function to read again.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export type Read<T> = {
  readonly data: T | undefined
  readonly error: unknown
  readonly loading: boolean
  /** The old result is shown until the new reply arrives. */
  reload(): void
}

/** `about` identifies the object that is read. When it changes, the read starts again. */
export function useRead<T>(about: string, read: (signal: AbortSignal) => Promise<T>): Read<T> {
  const [found, set] = useState<{ about: string; data?: T; error?: unknown }>({ about })
  const [turn, again] = useState(0)
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    const stop = new AbortController()
    latest.current(stop.signal).then(
      data => stop.signal.aborted || set({ about, data }),
      (error: unknown) => stop.signal.aborted || set({ about, error }),
    )
    return () => stop.abort()
  }, [about, turn])
  const current = found.about === about ? found : { about }
  return {
    data: current.data,
    error: current.error,
    loading: current.data === undefined && current.error === undefined,
    reload: useCallback(() => again(n => n + 1), []),
  }
}

const rereads_max = 7

/**
 * Reads again what changes without an event: a few times, each after twice the wait, and from the
 * beginning when it has changed. `shown` is what was read, or null if nothing more is expected.
 */
export function useRereads(shown: string | null, reload: () => void): void {
  const [turn, next] = useState(0)
  const before = useRef({ shown, turn })
  useEffect(() => {
    if (shown === null) return
    if (before.current.shown !== shown) before.current = { shown, turn }
    const count = turn - before.current.turn
    if (count === rereads_max) return
    const timer = setTimeout(
      () => {
        reload()
        next(turn + 1)
      },
      250 * 2 ** count,
    )
    return () => clearTimeout(timer)
  }, [shown, turn])
}
