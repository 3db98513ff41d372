/** Writes half of an object and then waits to be killed. */
import { openBlobs } from '../blobs.ts'

const [, , data_dir = '', key = ''] = process.argv

async function* half() {
  yield Buffer.from('half')
  process.stdout.write('writing\n')
  // An open handle, so that the process does not end by itself.
  await new Promise(resolve => setTimeout(resolve, 600_000))
}

await openBlobs(data_dir).put(key, half())
