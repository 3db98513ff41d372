/** A process that works and can be killed or stopped: it prints its port once it is ready. */
import { loadConfig } from '../../../../settings.ts'
import { start } from '../../../../runtime/start.ts'
import { engineComposition } from './engine-composition.ts'

const running = await start(loadConfig(), () => {}, engineComposition)
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.stdout.write(`ready ${running.port}\n`)
