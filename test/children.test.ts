/** No process outlives the test file that started it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endChildren, endsWithFile } from './children.ts'

test('a process that stands still ends, and one that has ended is no failure', async () => {
  const [still, running, ended] = ['60', '60', '0'].map(seconds =>
    endsWithFile(spawn('sleep', [seconds], { stdio: 'ignore' })),
  )
  if (ended) await once(ended, 'exit')
  still?.kill('SIGSTOP')
  await endChildren()
  expect([still?.signalCode, running?.signalCode, ended?.exitCode]).toEqual([
    'SIGKILL',
    'SIGKILL',
    0,
  ])
  await endChildren()
})
