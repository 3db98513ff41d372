/** The parts that this vendor's requests, control plane and webhooks share. */
import type { Clock } from '#dodeca/kernel'
import type { Deliveries } from './deliveries.ts'
import type { Faults } from '../model/faults.ts'
import type { Requests } from '../model/requests.ts'
import type { Config, Store } from './store.ts'

export type Vended = {
  readonly key: string
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  readonly requests: Requests
  readonly deliveries: Deliveries
  /** Ids of the background responses that have not ended. */
  readonly queued: Set<string>
  config(): Config
}
