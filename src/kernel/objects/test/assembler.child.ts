/**
 * Assembles an object, and says why it could not. The test limits the size of its files. A dot for
 * each turn of the event loop shows that the process lives.
 */
import { assemble } from '../assemble.ts'

const [, , to = '', ...paths] = process.argv

setInterval(() => process.stdout.write('.'), 5).unref()
const said = await assemble(paths, to).then(
  () => 'assembled',
  (error: unknown) => `refused: ${(error as NodeJS.ErrnoException).code}`,
)
process.stdout.write(said)
