/** The cursors of the lanes that one process has claimed from, as long as it is likely to come back. */
import { openLaneCursor, type LaneCursor } from './lane-cursor.ts'

export type Cursors = { of(lane: string): LaneCursor }

const cursors_max = 5000

export function openLaneCursors(): Cursors {
  const cursors = new Map<string, LaneCursor>()
  return {
    of: lane => {
      const cursor = cursors.get(lane) ?? openLaneCursor()
      // A Map keeps the order of insertion: the first is the one that was used longest ago.
      cursors.delete(lane)
      cursors.set(lane, cursor)
      for (const oldest of cursors.keys()) {
        if (cursors.size <= cursors_max) break
        cursors.delete(oldest)
      }
      return cursor
    },
  }
}
