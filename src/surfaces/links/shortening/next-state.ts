/**
 * The state machine of a link, as far as its owner drives it. Asleep (disabled, expired) it redirects
 * nobody; awake it is active, or pending_scan while its destination is unproven. Expiry is what the time
 * says, not what the label says; what safety or a moderator disabled, the owner cannot wake.
 *
 * | from         | disable  | enable   | new expires_at | new destination        |
 * | ------------ | -------- | -------- | -------------- | ---------------------- |
 * | active       | disabled | the same | the same       | as it is judged        |
 * | pending_scan | disabled | 409      | the same       | as it is judged        |
 * | expired      | 409      | 409      | awake          | judged, still expired  |
 * | disabled     | the same | awake    | the same       | judged, still disabled |
 */
import { problem } from '../errors.ts'
import type { PatchLink } from '../schemas.ts'
import type { HeldLink } from './link-row.ts'

type Asked = Pick<PatchLink, 'state' | 'expires_at'>
type Held = Pick<HeldLink, 'state' | 'raw_state' | 'disabled_by'>
type Safety = HeldLink['safety_state']

/** `safety_state` is that of the destination that the link will have. */
export function nextState(held: Held, asked: Asked, safety_state: Safety): HeldLink['raw_state'] {
  const awake = safety_state === 'clean' ? 'active' : 'pending_scan'
  const renewed = held.state === 'expired' && asked.expires_at !== undefined
  if (held.state === 'disabled') {
    if (asked.state !== 'active') return 'disabled'
    if (held.disabled_by !== 'owner') throw problem('link_disabled_by_safety')
    return awake
  }
  if (held.state === 'expired' && !renewed) {
    if (asked.state !== undefined) throw notFrom(held.state)
    return held.raw_state
  }
  if (asked.state === 'disabled') return 'disabled'
  if (asked.state === 'active' && held.state === 'pending_scan') throw notFrom(held.state)
  return awake
}

function notFrom(current_state: string) {
  return problem('invalid_transition', { current_state })
}
