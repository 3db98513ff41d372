/** The `dodeca` command over the test surfaces, in a process of its own. */
import { dodeca } from '../../cli.ts'
import { composition, config } from './tested.ts'

process.exitCode = await dodeca(process.argv.slice(2), () => Promise.resolve(composition), config)
