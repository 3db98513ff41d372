/** Stops work of this process at a fault point, so that a test does something meanwhile. */
import type { Faults } from '../src/kernel/faults.ts'
import { eventually } from './world.ts'

/** Only the first work that comes there waits, after `skip` others; with `match`, of that tenant. */
export function holdAt(
  faults: Faults,
  point: string,
  { skip = 0, match }: { readonly skip?: number; readonly match?: string } = {},
) {
  faults.set({ point, action: 'hold', times: 1, skip, match })
  return {
    reached: () =>
      eventually(`the work is at ${point}`, () =>
        faults.list().some(rule => rule.point === point && rule.passed > skip),
      ),
    release: () => faults.clear(point),
  }
}
