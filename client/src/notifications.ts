/**
 * Streams the changes of the in-app inbox. A broken connection is opened again at its last
 * position, so that no item is missed. After a long absence, `reset` means that the list must be
 * read again.
 */
import { pause } from './pause.ts'
import { serverEvents, type ServerEvent } from './server-events.ts'
import type { components } from './schema.d.ts'

export type InboxItem = components['schemas']['InboxItem']

export type InboxEvent =
  | { readonly type: 'item'; readonly item: InboxItem }
  | {
      readonly type: 'updated'
      readonly id: string
      readonly read_at: string | null
      readonly archived_at: string | null
    }
  | { readonly type: 'unread'; readonly count: number }
  | { readonly type: 'reset' }

export type InboxOptions = {
  readonly signal?: AbortSignal
  /**
   * The `position` of the last event that you handled. The stream starts with the events after it.
   */
  readonly resume?: string
}

export type Notifications = {
  /** Yields the number of unread items, then all changes until the loop is left. */
  inbox(
    options?: InboxOptions,
  ): AsyncGenerator<InboxEvent & { readonly position: string | undefined }, void>
}

type Open = (init: {
  readonly headers: Record<string, string>
  readonly signal?: AbortSignal
}) => Promise<ReadableStream<Uint8Array> | null>

const wait_ms = { first: 500, longest: 15_000 } as const

export function notificationsOf(open: Open, isFinal: (error: unknown) => boolean): Notifications {
  return {
    inbox: async function* ({ signal, resume } = {}) {
      let position = resume
      let wait: number = wait_ms.first
      while (!signal?.aborted) {
        try {
          const headers = {
            accept: 'text/event-stream',
            ...(position === undefined ? {} : { 'last-event-id': position }),
          }
          const body = await open({ headers, ...(signal ? { signal } : {}) })
          for await (const one of serverEvents(body ?? new ReadableStream())) {
            position = one.id ?? position
            wait = wait_ms.first
            const event = inboxEvent(one)
            if (event) yield { ...event, position }
          }
        } catch (error) {
          if (signal?.aborted) return
          if (isFinal(error)) throw error
        }
        try {
          await pause(wait * Math.random(), signal)
        } catch {
          return
        }
        wait = Math.min(wait * 2, wait_ms.longest)
      }
    },
  }
}

function inboxEvent({ event, data }: ServerEvent): InboxEvent | null {
  if (event === 'inbox.item') return { type: 'item', item: data['item'] as InboxItem }
  if (event === 'inbox.unread') return { type: 'unread', count: data['count'] as number }
  if (event === 'inbox.reset') return { type: 'reset' }
  if (event !== 'inbox.updated') return null
  return { type: 'updated', ...(data as { id: string; read_at: null; archived_at: null }) }
}
