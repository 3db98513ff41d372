/** What `npm start` runs: the command line's own `start`. */
import { dodeca } from './cli.ts'
import { composition } from './start.ts'

process.exitCode = await dodeca(['start', ...process.argv.slice(2)], composition)
