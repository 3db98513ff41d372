/** Runs the program as users start it, until it is ready. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { StartError } from '#dodeca/kernel'
import { ended, startOn, type Side } from './machine.ts'

export type Program = {
  readonly pid: number | undefined
  readonly port: number
  /** From its start to the first 200 of /readyz. */
  readonly ready_ms: number
  stop(): Promise<void>
}

type Options = {
  readonly side?: Side
  readonly profile?: string | null
  /** The checkout whose program is started. */
  readonly root?: string
}

const own_root = resolve(import.meta.dirname, '../..')
const patience_ms = 120_000

export async function startProgram(
  env: Record<string, string>,
  { side = 'free', profile = null, root = own_root }: Options = {},
): Promise<Program> {
  const port = await freePort()
  const began = performance.now()
  const child = startOn({
    side,
    program: join(root, 'node_modules', '.bin', 'node'),
    args: [
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
      join(root, 'src', 'main.mjs'),
    ],
    env: { ...(await startVariables(root)), ...env, PORT: String(port) },
  })
  let said = ''
  child.stdout?.on('data', part => (said += String(part)))
  child.stderr?.on('data', part => (said += String(part)))
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() - began > patience_ms) {
      throw new StartError(`The platform did not become ready. It said:\n${said}`)
    }
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const ready_ms = performance.now() - began
  const stop = async () => {
    child.kill('SIGTERM')
    await ended(child)
  }
  return { pid: child.pid, port, ready_ms, stop }
}

/** The variables that `npm start` sets. */
async function startVariables(root: string): Promise<Record<string, string>> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return Object.fromEntries(
    [...scripts.start.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
