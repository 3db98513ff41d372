/**
 * How much memory V8 gives to young objects. Loading the platform creates many objects that stay,
 * so V8 grows that space up to 134 MB, which are not needed afterwards. So it stays small until the
 * platform is ready, and then grows with the load as usual.
 */
import { setFlagsFromString } from 'node:v8'

export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function letYoungSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
