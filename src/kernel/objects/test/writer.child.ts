/** Writes half of an object and then waits to be killed. */
import { openLocalObjects } from '../local.ts'

const [, , data_dir = '', key = ''] = process.argv

async function* half() {
  yield Buffer.alloc(2 * 1024 * 1024, 'half')
  process.stdout.write('writing\n')
  // An open handle, so that the process does not end by itself.
  await new Promise(resolve => setTimeout(resolve, 600_000))
}

await openLocalObjects(data_dir, () => undefined).put(key, half())
