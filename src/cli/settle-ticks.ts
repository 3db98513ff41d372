/**
 * Makes V8 compile `process.nextTick` for one object shape. Node creates an object with computed
 * names for each `process.nextTick`, and a request has seven of them. V8 is fast while it has seen
 * only one shape of these objects. The order of compilation decides whether V8 sees another shape.
 * If it does, it uses a slow path for each property until the process ends. The slow path costs 2
 * of the 16 µs of a redirect. So this function creates ticks, with all numbers of arguments, until
 * they are compiled for one shape. This takes about twenty milliseconds.
 */
const rounds = 1000
const ticks_together = 100

export async function settleTicks(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    process.nextTick(nothing)
    process.nextTick(nothing, 1)
    process.nextTick(nothing, 1, 2)
    process.nextTick(nothing, 1, 2, 3)
    process.nextTick(nothing, 1, 2, 3, 4)
    if (round % ticks_together === 0) await new Promise(resolve => setImmediate(resolve))
  }
}

function nothing(): void {}
