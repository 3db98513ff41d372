/** Public suffixes such as `co.uk`, under which anybody can have a name. */
import { createRequire } from 'node:module'
import type * as Tldts from 'tldts'

const require = createRequire(import.meta.url)

/** The list takes 2 MB. It is loaded with the first host name. */
export function publicSuffixes(): typeof Tldts {
  return require('tldts') as typeof Tldts
}
