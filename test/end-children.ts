/** Runs before each test file. Its hook is the first one, so it runs after all hooks of the file. */
import { afterAll } from 'vitest'
import { endChildren } from './children.ts'
import { countHashes, countProcesses } from './counts.ts'

countProcesses()
afterAll(async () => {
  await countHashes()
  await endChildren()
})
