/** Whatever the platform was started with: a signal to it ends everything in order. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { inherited } from '../../../test/process.ts'
import { eventually } from '../../../test/world.ts'
import { databaseStopped } from './installation.ts'

const root = join(import.meta.dirname, '../../..')

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok
  } catch {
    return false
  }
}

test.each([
  ['npm start', 'npm', ['start']],
  ['npx', 'npx', ['dodeca', 'start']],
  ['a shell', 'sh', ['-c', 'exec node bin/dodeca.mjs start']],
  ['a process manager', process.execPath, ['src/main.mjs']],
])('%s', async (_, program, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-stop-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const settings = { DATA_DIR: data, PORT: String(port), KERNEL_SANDBOX: 'false' }
  const env = { ...inherited, ...settings, LOG_LEVEL: 'silent' }
  const child = spawn(program, args, { cwd: root, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  try {
    await eventually('the platform answers', () => answers(port))
    child.kill('SIGTERM')
    await ended
    await eventually('the port is free', async () => !(await answers(port)))
    await databaseStopped(data)
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  expect(await answers(port)).toBe(false)
})
