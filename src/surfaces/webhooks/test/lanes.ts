/** Lanes as a sender has them in memory, of endpoints that are nowhere. */
import { newId } from '#dodeca/kernel'
import { fresh, Lane } from '../lanes/lane.ts'

const config = {
  version: 1,
  endpoint: '',
  max_in_flight: 8,
  rate_per_second: null,
  secrets: [],
  verified_at: null,
  session_id: null,
  owner_id: newId(),
  event_filter: ['*'],
}
let lanes = 0

/** One that answers in five milliseconds, if nothing else is said. */
export function laneOf(tenant_id: string, more = {}, bounds = {}): Lane {
  return new Lane(
    { id: `lane-${++lanes}`, tenant_id, shard: 0 },
    { ...config, ...bounds },
    { ...fresh, ewma_ms: 5, ...more },
  )
}
