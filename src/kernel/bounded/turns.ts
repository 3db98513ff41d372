/**
 * Checks of input from outside run on the thread that serves every request. One check is bounded,
 * but many in a row would still delay other requests. So after 5 ms of checks, the next checks wait
 * four times as long as the last ones took, in order of arrival. This leaves four fifths of the
 * time for everything else. A request returns to this thread several times, and so it meets one long
 * check and not one at each return (`bench/hostile.ts`).
 */
const share_ms = 5
const rest_factor = 4

const waiting: (() => void)[] = []
/** The time that checks have taken, minus the time between them. */
let used_ms = 0
let ended_ms = 0
let resting = false

export async function inTurn<T>(check: () => T): Promise<T> {
  if (resting || waiting.length > 0) await new Promise<void>(resolve => waiting.push(resolve))
  const began = performance.now()
  try {
    return check()
  } finally {
    const now_ms = performance.now()
    // A clock that goes back, as after a test that moved it, must not add to the time.
    const between_ms = Math.max(0, began - ended_ms)
    used_ms = Math.max(0, used_ms - between_ms) + now_ms - began
    ended_ms = now_ms
    if (used_ms > share_ms) rest()
    else waiting.shift()?.()
  }
}

function rest(): void {
  if (resting) return
  resting = true
  setTimeout(() => {
    resting = false
    waiting.shift()?.()
  }, used_ms * rest_factor)
  used_ms = 0
}
