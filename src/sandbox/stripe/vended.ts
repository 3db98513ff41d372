/** The parts that this Stripe's requests, control plane and clock share. */
import type { Clock } from '#dodeca/kernel'
import type { Deliveries } from './deliveries.ts'
import type { Faults } from './faults.ts'
import type { Config, StripeEvent } from './objects.ts'
import type { Store } from './store.ts'
import { workOn, type Work } from './work.ts'

export type Vended = {
  /** Its id and its secret key. */
  readonly account: string
  readonly key: string
  /** What a page has. It can only make tokens with it. */
  readonly publishable_key: string
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  readonly deliveries: Deliveries
  /** The requests with a valid key that change something, since the process began. */
  readonly requests: { count: number }
  config(): Config
  /** Runs the actions that are due by themselves. */
  tick(): void
}

export function workIn(
  { deliveries, clock, config }: Vended,
  draft: Parameters<typeof workOn>[0],
  asked: { id: string | null; key: string | null } | null = null,
  events: StripeEvent[] = [],
): Work {
  return workOn(draft, {
    now_ms: clock.nowMs(),
    request_id: asked?.id ?? null,
    key: asked?.key ?? null,
    config: config(),
    made: event => {
      events.push(event)
      deliveries.add(draft, event)
    },
  })
}
