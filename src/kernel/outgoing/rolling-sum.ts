/**
 * A sum over the last milliseconds. It is kept in ten slots, so that old values drop out
 * automatically.
 */
const slots = 10

export type RollingSum<Name extends string> = {
  add(name: Name, amount?: number): void
  total(name: Name): number
  clear(): void
}

export type Monotonic = () => number

export function openRollingSum<Name extends string>(
  window_ms: number,
  now: Monotonic,
): RollingSum<Name> {
  const slot_ms = window_ms / slots
  let ring = new Map<number, Map<Name, number>>()
  const current = (): number => {
    const slot = Math.floor(now() / slot_ms)
    for (const old of ring.keys()) if (old <= slot - slots) ring.delete(old)
    return slot
  }
  return {
    add: (name, amount = 1) => {
      const slot = current()
      const sums = ring.get(slot) ?? new Map<Name, number>()
      ring.set(slot, sums.set(name, (sums.get(name) ?? 0) + amount))
    },
    total: name => {
      current()
      let total = 0
      for (const sums of ring.values()) total += sums.get(name) ?? 0
      return total
    },
    clear: () => {
      ring = new Map()
    },
  }
}
