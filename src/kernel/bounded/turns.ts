/**
 * Checks of user input run on the thread that serves every request. One check is bounded, but many
 * in a row would still delay other requests. So all checks together take at most 5 ms plus one
 * check in each round of the event loop; the others wait for later rounds, in the order in which
 * they came.
 */
const round_ms = 5

const waiting: (() => void)[] = []
let used_ms = 0
let scheduled = false

export async function inTurn<T>(check: () => T): Promise<T> {
  if (waiting.length > 0 || used_ms > round_ms) {
    await new Promise<void>(resolve => waiting.push(resolve))
  }
  const began = performance.now()
  try {
    return check()
  } finally {
    used_ms += performance.now() - began
    if (used_ms > round_ms) startNextRound()
  }
}

function startNextRound(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(() => {
    scheduled = false
    used_ms = 0
    waiting.shift()?.()
    if (waiting.length > 0) startNextRound()
  })
}
