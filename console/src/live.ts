/**
 * The live events of the tenant: one stream for the whole page, shared by its parts. After a break
 * the stream resumes. Without the permission there is no stream, and the page says so.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem, serverEvents } from '../../client/src/index.ts'
import { callOperation, type Row } from './operation.ts'
import { may } from './session.ts'

export type LiveState = 'connecting' | 'live' | 'broken' | 'refused'

const kept_max = 500
const wait_max_ms = 30_000

const changes = new EventTarget()
let state: LiveState = 'connecting'
let events: readonly Row[] = []
let begun = false

function become(next: LiveState): void {
  state = next
  changes.dispatchEvent(new Event('state'))
}

/** One stream for the page. It ends with the page. */
export function startLive(): void {
  if (begun) return
  begun = true
  if (!may('webhooks.events.read')) return become('refused')
  void follow()
}

/**
 * A browser keeps the pages that were left for its button "back", each with its open connections, and
 * has six for a host. So the stream ends with the page; it begins again if the page is shown again.
 */
let left = new AbortController()
addEventListener('pagehide', () => left.abort())

async function follow(): Promise<void> {
  let last: string | undefined
  for (let failures = 0; ;) {
    if (left.signal.aborted) left = new AbortController()
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'last-event-id': last }),
      }
      const { signal } = left
      const body = await callOperation('listWebhookEvents', { headers, signal, parseAs: 'stream' })
      become('live')
      failures = 0
      for await (const { event, id, data } of serverEvents(body as ReadableStream<Uint8Array>)) {
        if (event !== 'event') break
        last = id ?? last
        events = [data as Row, ...events].slice(0, kept_max)
        changes.dispatchEvent(new CustomEvent('event', { detail: data }))
      }
    } catch (error) {
      if (error instanceof Problem && (error.status === 403 || error.status === 401)) {
        return become('refused')
      }
      failures++
    }
    become('broken')
    await new Promise(next => setTimeout(next, Math.min(wait_max_ms, 500 * 2 ** failures)))
  }
}

export function useLiveState(): LiveState {
  const [shown, show] = useState(state)
  useEffect(() => {
    const read = () => show(state)
    read()
    changes.addEventListener('state', read)
    return () => changes.removeEventListener('state', read)
  }, [])
  return shown
}

/**
 * Calls the function soon after an event whose type begins with one of these texts; every type
 * begins with ''. Several events together cause one call.
 */
export function useLive(beginnings: readonly string[], run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  const wanted = beginnings.join('|')
  useEffect(() => {
    if (beginnings.length === 0) return
    let timer: number | undefined
    const listen = (event: Event) => {
      const type = String(((event as CustomEvent).detail as Row)['type'])
      if (!beginnings.some(one => type.startsWith(one))) return
      timer ??= setTimeout(() => {
        timer = undefined
        latest.current()
      }, 300)
    }
    changes.addEventListener('event', listen)
    return () => {
      clearTimeout(timer)
      changes.removeEventListener('event', listen)
    }
  }, [wanted, beginnings.length])
}

/** The newest events since the page was opened, newest first. */
export function useEvents(): readonly Row[] {
  const [shown, show] = useState(events)
  useEffect(() => {
    let asked = false
    const read = () => {
      if (asked) return
      asked = true
      requestAnimationFrame(() => {
        asked = false
        show(events)
      })
    }
    read()
    changes.addEventListener('event', read)
    return () => changes.removeEventListener('event', read)
  }, [])
  return shown
}
