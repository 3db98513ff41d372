/**
 * The state machine of a link, for changes by its owner. A disabled or expired link does not
 * redirect. An enabled link is active, or pending_scan while its destination is not checked yet. A
 * link expires at its time, whatever its stored state is. The owner cannot enable a link that a check
 * or a moderator disabled. "checked" means active or pending_scan, depending on the destination.
 *
 * | from         | disable  | enable   | new expires_at | new destination         |
 * | ------------ | -------- | -------- | -------------- | ----------------------- |
 * | active       | disabled | the same | the same       | checked                 |
 * | pending_scan | disabled | 409      | the same       | checked                 |
 * | expired      | 409      | 409      | checked        | checked, still expired  |
 * | disabled     | the same | checked  | the same       | checked, still disabled |
 */
import { problem } from '../errors.ts'
import type { PatchLink } from '../schemas.ts'
import type { HeldLink } from './link-row.ts'

type Asked = Pick<PatchLink, 'state' | 'expires_at'>
type Held = Pick<HeldLink, 'state' | 'raw_state' | 'disabled_by'>
type Safety = HeldLink['safety_state']

/** `safety_state` belongs to the destination that the link will have. */
export function nextState(held: Held, asked: Asked, safety_state: Safety): HeldLink['raw_state'] {
  const enabled = safety_state === 'clean' ? 'active' : 'pending_scan'
  const renewed = held.state === 'expired' && asked.expires_at !== undefined
  if (held.state === 'disabled') {
    if (asked.state !== 'active') return 'disabled'
    if (held.disabled_by !== 'owner') throw problem('link_disabled_by_safety')
    return enabled
  }
  if (held.state === 'expired' && !renewed) {
    if (asked.state !== undefined) throw notFrom(held.state)
    return held.raw_state
  }
  if (asked.state === 'disabled') return 'disabled'
  if (asked.state === 'active' && held.state === 'pending_scan') throw notFrom(held.state)
  return enabled
}

function notFrom(current_state: string) {
  return problem('invalid_transition', { current_state })
}
