/** The circuit and the retry budget, on a clock that the test moves. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { circuit_defaults, openCircuit, type CircuitOptions, type Weight } from '../circuit.ts'
import { openRetryBudget } from '../retry-budget.ts'

function circuitAt(options: Partial<CircuitOptions> = {}) {
  const clock = { ms: 1000 }
  const circuit = openCircuit({ ...circuit_defaults, ...options }, () => clock.ms)
  const call = (weight: Weight) => {
    const admission = circuit.admit()
    admission?.settle(weight)
    return admission !== null
  }
  const calls = (times: number, weight: Weight) => {
    for (let made = 0; made < times; made++) call(weight)
  }
  return { clock, circuit, call, calls }
}

describe('the circuit', () => {
  test('opens at half of twenty, not before', () => {
    const { circuit, calls } = circuitAt()
    calls(10, 0)
    calls(9, 1)
    expect(circuit.state()).toBe('closed')
    calls(1, 1)
    expect(circuit.state()).toBe('open')
    const { circuit: healthy, calls: more } = circuitAt()
    more(11, 0)
    more(10, 1)
    expect(healthy.state()).toBe('closed')
  })

  test('forgets what is older than its window', () => {
    const { circuit, calls, clock } = circuitAt()
    calls(19, 1)
    clock.ms += 11_000
    calls(1, 1)
    expect(circuit.state()).toBe('closed')
    calls(19, 1)
    expect(circuit.state()).toBe('open')
  })

  test('lets no call through for ten seconds, then one', () => {
    const { circuit, calls, clock } = circuitAt()
    calls(20, 1)
    clock.ms += 9999
    expect(circuit.admit()).toBeNull()
    clock.ms += 1
    expect(circuit.state()).toBe('half_open')
    const probe = circuit.admit()
    expect(probe).not.toBeNull()
    expect(circuit.admit()).toBeNull()
    probe?.settle(0)
    expect(circuit.state()).toBe('closed')
    // It starts again: the old failures are dropped.
    calls(19, 1)
    expect(circuit.state()).toBe('closed')
  })

  test('opens again when the probe fails, and takes another when it was abandoned', () => {
    const { circuit, call, calls, clock } = circuitAt()
    calls(20, 1)
    clock.ms += 10_000
    call(null)
    expect(circuit.state()).toBe('half_open')
    call(1)
    expect(circuit.state()).toBe('open')
    clock.ms += 10_000
    call(0)
    expect(circuit.state()).toBe('closed')
  })

  test('hears nothing from calls of an earlier time, nor twice from one', () => {
    const { circuit, calls, clock } = circuitAt()
    const slow = Array.from({ length: 30 }, () => circuit.admit())
    calls(20, 1)
    clock.ms += 10_000
    const probe = circuit.admit()
    for (const [index, admission] of slow.entries()) admission?.settle(index % 2)
    for (const admission of slow) admission?.settle(1)
    expect(circuit.state()).toBe('half_open')
    probe?.settle(1)
    probe?.settle(0)
    expect(circuit.state()).toBe('open')
  })

  test('may weigh failures and count them in a row', () => {
    const { circuit, calls } = circuitAt({ failures_in_row: 5 })
    calls(4, 1)
    calls(1, 0)
    calls(4, 1)
    expect(circuit.state()).toBe('closed')
    calls(1, 1)
    expect(circuit.state()).toBe('open')
    const { circuit: limited, calls: more } = circuitAt()
    more(19, 0.5)
    expect(limited.state()).toBe('closed')
    more(1, 0.5)
    expect(limited.state()).toBe('open')
  })

  test('never lets more than one through while it is not closed, and always recovers', () => {
    const step = fc.record({
      wait_ms: fc.nat(4000),
      act: fc.constantFrom('admit', 'succeed', 'fail', 'abandon'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const { circuit, clock } = circuitAt({ least_calls: 3, open_ms: 2000 })
        let probes = 0
        const running: { settle(weight: Weight): void; is_probe: boolean }[] = []
        for (const { wait_ms, act } of steps) {
          clock.ms += wait_ms
          if (act === 'admit') {
            const seen = circuit.state()
            const admission = circuit.admit()
            if (!admission) continue
            const is_probe = seen === 'half_open'
            if (is_probe) probes++
            running.push({ settle: admission.settle, is_probe })
          } else {
            const oldest = running.shift()
            if (oldest?.is_probe) probes--
            oldest?.settle(act === 'abandon' ? null : Number(act === 'fail'))
          }
          if (probes > 1) return false
        }
        for (const one of running) one.settle(null)
        clock.ms += 2000
        circuit.admit()?.settle(0)
        return circuit.state() === 'closed'
      }),
    )
  })
})

describe('the retry budget', () => {
  const take = (budget: ReturnType<typeof openRetryBudget>, times: number) =>
    Array.from({ length: times }, () => budget.take()).filter(Boolean).length

  test('is ten retries in ten seconds for a quiet upstream', () => {
    const clock = { ms: 0 }
    const budget = openRetryBudget(() => clock.ms)
    budget.called()
    expect(take(budget, 50)).toBe(10)
    clock.ms += 8000
    expect(take(budget, 50)).toBe(0)
    clock.ms += 2000
    expect(take(budget, 50)).toBe(10)
  })

  test('is a tenth of the calls of a busy one', () => {
    const clock = { ms: 0 }
    const budget = openRetryBudget(() => clock.ms)
    for (let calls = 0; calls < 355; calls++) budget.called()
    expect(take(budget, 100)).toBe(35)
    clock.ms += 10_000
    expect(take(budget, 100)).toBe(10)
  })
})
