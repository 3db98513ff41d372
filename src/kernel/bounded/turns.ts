/**
 * Checks of what comes from outside run on the thread that serves every request. One of them is bounded;
 * many in a row would still keep others waiting. So in one round of the event loop they take 5 ms and one
 * check more; the others wait for the next rounds, one a round, in the order in which they came.
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
