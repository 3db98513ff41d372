/** Assembles an object, and says why it could not. The test limits the size of its files. */
import { assemble } from '../assemble.ts'

const [, , to = '', ...paths] = process.argv

const said = await assemble(paths, to).then(
  () => 'assembled',
  (error: unknown) => `refused: ${(error as NodeJS.ErrnoException).code}`,
)
process.stdout.write(said)
