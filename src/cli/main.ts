/** Runs the command `start` with the rest of the command line. */
import { keepYoungSpaceSmall } from './young-space.ts'

keepYoungSpaceSmall()
const { dodeca } = await import('../cli.ts')

process.exitCode = await dodeca(['start', ...process.argv.slice(2)])
