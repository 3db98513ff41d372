/**
 * The platform with the test surfaces in a process of its own, so that it can be killed: configured by its
 * environment like the real one, it prints its port once it is ready. VENDOR_URL names the vendor.
 */
import { start } from '../src/runtime/start.ts'
import { testComposition, testConfig } from './composition.ts'

const vendor_url = process.env['VENDOR_URL'] ?? 'http://127.0.0.1:9'
const running = await start(testConfig(), () => {}, testComposition(vendor_url))
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.stdout.write(`ready ${running.port}\n`)
