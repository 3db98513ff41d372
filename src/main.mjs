/** What `npm start` runs: the command line's own `start`, with compiled code kept from the last time. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { dodeca } = await import('./cli.ts')
const { composition } = await import('./start.ts')

process.exitCode = await dodeca(['start', ...process.argv.slice(2)], composition)
