/**
 * Loads undici at the first connection to the outside. It takes 8 MB, which a process without such
 * connections does not need.
 */
import { createRequire } from 'node:module'
import type * as Undici from 'undici'

const require = createRequire(import.meta.url)

export function undici(): typeof Undici {
  return require('undici') as typeof Undici
}
