/** The product in a process of its own, so that it can be killed: it prints its port once it is ready. */
import { loadConfig } from '../src/runtime/config.ts'
import { start } from '../src/platform.ts'

const running = await start(loadConfig(), () => {})
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.stdout.write(`ready ${running.port}\n`)
