/**
 * The program of `npm start`. It runs the command `start` with compiled code cached from the last
 * run. This file is plain JavaScript: if the first file is TypeScript, Node loads its type stripper
 * (20 MB, 40 ms), although all other files are in the cache.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { keepYoungSpaceSmall } = await import('./cli/young-space.ts')
keepYoungSpaceSmall()
const { settleTicks } = await import('./cli/settle-ticks.ts')
await settleTicks()
const { dodeca } = await import('./cli.ts')

process.exitCode = await dodeca(['start', ...process.argv.slice(2)])
