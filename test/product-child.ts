/** The product in a process of its own, so that it can be killed: it prints its port once it is ready. */
import { loadConfig } from '../src/settings.ts'
import { composition } from '../src/platform.ts'
import { start } from '../src/runtime/start.ts'

const running = await start(loadConfig(), () => {}, composition)
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.stdout.write(`ready ${running.port}\n`)

// The test that started it may be killed: nothing is left behind then.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid), 1000).unref()
