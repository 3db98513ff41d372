/**
 * Sets how much memory V8 uses for young objects. Loading the platform creates many objects that
 * stay. Because of them V8 would grow that space up to 134 MB, although the space is not needed
 * afterwards. So the space stays small until the platform is ready. After that it grows with the
 * load as usual.
 */
import { setFlagsFromString } from 'node:v8'

export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function letYoungSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
