/** Starts a competitor in a process of its own, on the processor of the server. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startOn } from '../ground/machine.ts'
import type { Given } from './echo-process.ts'

export async function startEcho(given: Given) {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('./echo-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send(given)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}
