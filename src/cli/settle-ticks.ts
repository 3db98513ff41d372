/**
 * Node makes an object with computed names for each `process.nextTick`, of which a request takes seven, and
 * V8 writes them at once as long as it has seen one shape of them. Whether it ever sees another depends on
 * what happens to be compiled when; once it has, it asks its runtime for each member for the rest of the
 * process: 2 of the 16 µs that a redirect takes. So ticks are made, with all numbers of arguments, until
 * they are compiled for one shape. It takes some twenty milliseconds.
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
