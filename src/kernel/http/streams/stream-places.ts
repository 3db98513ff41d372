/** The limit of streams that one principal has open in this process. */
import { problem } from '../../errors/problem.ts'
import type { SseEvent } from './sse.ts'

export type StreamPlaces = {
  /**
   * Returns the same events. Their place is free again when the events end. Throws
   * `quota_exceeded`.
   */
  hold(principal_id: string, events: AsyncIterable<SseEvent>): AsyncIterable<SseEvent>
}

export function openStreamPlaces(most: number): StreamPlaces {
  const taken = new Map<string, number>()
  const add = (principal_id: string, by: 1 | -1) => {
    const count = (taken.get(principal_id) ?? 0) + by
    if (count === 0) taken.delete(principal_id)
    else taken.set(principal_id, count)
  }
  return {
    hold: (principal_id, events) => {
      if ((taken.get(principal_id) ?? 0) >= most) throw problem('quota_exceeded')
      add(principal_id, 1)
      return (async function* () {
        try {
          yield* events
        } finally {
          add(principal_id, -1)
        }
      })()
    },
  }
}
