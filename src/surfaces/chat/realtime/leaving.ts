/**
 * Decides when queued frames are written. All frames that one turn of the event loop queues for a
 * socket are written together: a write costs 6 µs of system time, and a further frame in it a tenth
 * of that. After live frames were written to many sockets, the next write waits three times as long
 * as the last one took, so that under load a write contains several frames.
 */
export type Leaving = {
  /** Writes the queued frames, if there are any. */
  flush(): void
}

const pause_factor = 3
const pause_ms_max = 30

/** The last frames that were joined, until the end of a delivery. */
let joined: { readonly frames: readonly Buffer[]; readonly bytes: Buffer } | undefined

let replies: Leaving[] = []
let live: Leaving[] = []
let scheduled = false
let next_ms = 0

/** Writes at the end of this turn. */
export function leaveNow(one: Leaving): void {
  if (replies.length === 0) process.nextTick(flushReplies)
  replies.push(one)
}

/** Writes at the end of this turn, or after the pause that follows a large delivery. */
export function leaveSoon(one: Leaving): void {
  live.push(one)
  if (scheduled) return
  scheduled = true
  const wait_ms = next_ms - performance.now()
  if (wait_ms <= 0) process.nextTick(flushLive)
  else setTimeout(flushLive, wait_ms)
}

/** Joins frames for one write. Sockets of a room have the same frames and share the result. */
export function join(frames: readonly Buffer[]): Buffer {
  const known = joined
  if (
    known?.frames.length === frames.length &&
    frames.every((one, at) => one === known.frames[at])
  ) {
    return known.bytes
  }
  joined = { frames, bytes: Buffer.concat(frames) }
  return joined.bytes
}

function flushReplies(): void {
  const all = replies
  replies = []
  for (const one of all) one.flush()
}

function flushLive(): void {
  const all = live
  live = []
  scheduled = false
  const began = performance.now()
  for (const one of all) one.flush()
  joined = undefined
  const ended = performance.now()
  next_ms = ended + Math.min(pause_ms_max, pause_factor * (ended - began))
}
