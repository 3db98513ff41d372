/** The rule by which a process refuses requests, with a clock that is turned by hand. */
import { describe, expect, test } from 'vitest'
import { watchOverload, type RequestClass } from '../overload.ts'

const delay_ms = 100

/** A process. Requests come in turns of its event loop; each takes wall time and processor time. */
function processOf({ processor = 1 } = {}) {
  let now_ms = 5_000_000
  let used_ms = 0
  let end: (() => void) | undefined
  const counted: string[] = []
  const overload = watchOverload({
    delay_ms,
    refused: (reason, of) => counted.push(`${reason} ${of}`),
    now: () => now_ms,
    processorMs: () => used_ms,
    atEnd: run => (end = run),
  })
  const pass = (ms: number) => {
    now_ms += ms
    used_ms += ms * processor
  }
  const ask = (of: RequestClass = 'usual') => overload.refusal(of, now_ms)
  return {
    overload,
    counted,
    pass,
    ask,
    /** Returns how many of the requests were refused. A refusal costs a twentieth. */
    turn: (requests: number, each_ms: number, of: RequestClass = 'usual') => {
      let refused = 0
      for (let n = 0; n < requests; n++) {
        const refusal = ask(of)
        if (refusal) refused++
        pass(refusal ? each_ms / 20 : each_ms)
      }
      end?.()
      return refused
    },
    rest: (ms: number) => (now_ms += ms),
  }
}

describe('a process', () => {
  test('with many costly requests refuses those that waited too long, turn after turn', () => {
    const { turn } = processOf()
    expect(turn(200, 1)).toBe(0)
    // The first 101 begin within 100 ms.
    expect([turn(200, 1), turn(200, 1), turn(200, 1)]).toEqual([99, 99, 99])
  })

  test('refuses nothing in a turn after a prompt one: one pause is not overload', () => {
    const { turn } = processOf()
    expect([turn(200, 1), turn(20, 1), turn(200, 1), turn(20, 1)]).toEqual([0, 0, 0, 0])
  })

  test('refuses nothing when its last late turn was long ago', () => {
    const { turn, rest } = processOf()
    turn(200, 1)
    rest(2000)
    expect(turn(200, 1)).toBe(0)
  })

  test('refuses nothing while it waits for the processor itself', () => {
    const { turn } = processOf({ processor: 0.2 })
    expect([turn(200, 1), turn(200, 1), turn(200, 1)]).toEqual([0, 0, 0])
  })

  test('never refuses one client with six connections, whatever its requests cost', () => {
    const { turn } = processOf()
    expect([turn(6, 400), turn(6, 400), turn(6, 400)]).toEqual([0, 0, 0])
  })

  test('refuses what is expensive first, then reads without a credential', () => {
    const refusedOf = (of: RequestClass) => {
      const { turn } = processOf()
      turn(200, 1, of)
      return turn(200, 1, of)
    }
    const classes = ['expensive', 'anonymous_read', 'usual', 'socket'] as const
    expect(classes.map(refusedOf)).toEqual([149, 124, 99, 99])
  })

  test('counts each refusal, and sends the caller away for one to three seconds', () => {
    const { turn, ask, pass, counted } = processOf()
    turn(200, 1)
    for (let n = 0; n < 10; n++) ask()
    pass(200)
    const refusals = Array.from({ length: 200 }, () => ask())
    expect(new Set(refusals.map(one => one?.code))).toEqual(new Set(['overloaded']))
    const waits = new Set(refusals.map(one => one?.details.retry_after))
    expect(waits).toEqual(new Set([1, 2, 3]))
    expect(counted).toEqual(Array.from({ length: 200 }, () => 'overloaded usual'))
  })

  test('is busy for a second after a late turn', () => {
    const { overload, turn, rest } = processOf()
    const seen = [overload.busy()]
    turn(20, 1)
    seen.push(overload.busy())
    turn(60, 1)
    seen.push(overload.busy())
    rest(990)
    seen.push(overload.busy())
    rest(20)
    seen.push(overload.busy())
    expect(seen).toEqual([false, false, true, true, false])
  })

  test('that stops refuses everything, and is not ready before', () => {
    const { overload, ask, counted } = processOf()
    overload.drain()
    expect([overload.draining(), ask()]).toEqual([true, null])
    overload.refuseAll()
    expect(ask('socket')).toMatchObject({
      code: 'shutting_down',
      details: { headers: { connection: 'close' } },
    })
    expect(counted).toEqual(['shutting_down socket'])
  })
})
