/**
 * Makes V8 compile `process.nextTick` for one object shape, and keeps that shape. Node creates an
 * object with computed names for each `process.nextTick`, and a request has seven of them. V8 is
 * fast while it has seen only one shape of these objects. Otherwise it uses a slow path for each
 * property until the process ends, and a request takes up to 10 µs more. It sees a second shape if
 * the order of compilation is unlucky, or if it collects garbage while no such object exists: then
 * it forgets the first shape. So this function keeps one such object for ever, and creates others,
 * with all numbers of arguments, until they are compiled. This takes about twenty milliseconds.
 */
import { createHook } from 'node:async_hooks'

const rounds = 1000
const ticks_together = 100

const kept: object[] = []

export async function settleTicks(): Promise<void> {
  keepOneTick()
  for (let round = 0; round < rounds; round++) {
    process.nextTick(nothing)
    process.nextTick(nothing, 1)
    process.nextTick(nothing, 1, 2)
    process.nextTick(nothing, 1, 2, 3)
    process.nextTick(nothing, 1, 2, 3, 4)
    if (round % ticks_together === 0) await new Promise(resolve => setImmediate(resolve))
  }
}

/** Only a hook sees the objects that Node creates. */
function keepOneTick(): void {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') kept.push(resource)
    },
  })
  hook.enable()
  process.nextTick(nothing, 1)
  hook.disable()
}

function nothing(): void {}
