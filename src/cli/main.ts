/** Runs the command `start` with the rest of the command line. */
import { settleTicks } from './settle-ticks.ts'
import { keepYoungSpaceSmall } from './young-space.ts'

keepYoungSpaceSmall()
await settleTicks()
const { dodeca } = await import('../cli.ts')

process.exitCode = await dodeca(['start', ...process.argv.slice(2)])
