/**
 * What `npm start` runs: the command line's own `start`, with compiled code kept from the last time.
 * Plain JavaScript: for a first file in TypeScript Node loads what strips types (20 MB, 40 ms), although
 * all others come from the cache.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { keepYoungSpaceSmall } = await import('./cli/young-space.ts')
keepYoungSpaceSmall()
const { settleTicks } = await import('./cli/settle-ticks.ts')
await settleTicks()
const { dodeca } = await import('./cli.ts')

process.exitCode = await dodeca(['start', ...process.argv.slice(2)])
