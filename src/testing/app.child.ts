/** The application of a folder in a process of its own, which a test kills. It prints its port. */
import { composeApp } from '../load-app.ts'
import { readApp } from '../read-app.ts'
import { start } from '../runtime/start.ts'
import { loadConfig } from '../settings.ts'

const app = await readApp(process.argv[2])
const running = await start(loadConfig({}, process.env, app), () => {}, await composeApp(app))
process.stdout.write(`ready ${running.port}\n`)

// The test that started it may be killed: nothing is left behind then.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid), 1000).unref()
