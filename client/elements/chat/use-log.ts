/**
 * The place of a reader in the log: stays at the newest message while the reader is there, and says
 * then that it is read; keeps the place when older messages come above it.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Room } from './room.ts'

const near_px = 80

export function useLog(room: Room) {
  const ref = useRef<HTMLDivElement>(null)
  const place = useRef({ is_below: true, height: 0, first: 0, unsent: 0 })
  const tellRead = () => {
    const is_seen = document.visibilityState === 'visible' && ref.current?.checkVisibility()
    if (is_seen && place.current.is_below) room.tellRead()
  }
  useLayoutEffect(() => {
    const { current: log } = ref
    if (!log) return
    const before = place.current
    const first = room.messages[0]?.sequence ?? 0
    const unsent = room.outbox.list.length
    if (before.is_below || unsent > before.unsent) log.scrollTop = log.scrollHeight
    else if (first < before.first) log.scrollTop += log.scrollHeight - before.height
    place.current = { ...before, first, unsent, height: log.scrollHeight }
    tellRead()
  })
  useEffect(() => {
    document.addEventListener('visibilitychange', tellRead)
    return () => document.removeEventListener('visibilitychange', tellRead)
  })
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLDivElement }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget
    place.current.is_below = scrollHeight - scrollTop - clientHeight < near_px
    if (scrollTop < near_px && !place.current.is_below) void room.loadOlder()
    tellRead()
  }
  return { ref, onScroll }
}
