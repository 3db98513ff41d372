/**
 * How much memory V8 gives to what is young. Loading the platform makes much that stays, which V8 takes
 * for a reason to grow that space, up to 134 MB that nobody needs afterwards. So it stays small until
 * the platform is ready, and then follows the load as V8 would have it.
 */
import { setFlagsFromString } from 'node:v8'

export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function letYoungSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
