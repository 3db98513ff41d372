/** Servers without a platform, in processes of their own, pinned like the platform. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Given } from './bare-process.ts'
import { ended, startOn } from './machine.ts'

export type Bare = {
  readonly port: number
  readonly pid: number | undefined
  stop(): Promise<void>
}

export async function startBare(
  given: Partial<Given> & Pick<Given, 'kind' | 'headers'>,
): Promise<Bare> {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('./bare-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ body: '', database_url: '', tenant_id: '', ...given })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const stop = async () => {
    child.kill('SIGTERM')
    await ended(child)
  }
  return { port, pid: child.pid, stop }
}

/** What the platform answers, so that a bare server can answer the same. */
export async function sample(
  port: number,
  path: string,
  token?: string,
): Promise<{ headers: Record<string, string>; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  const headers = Object.fromEntries(response.headers)
  // What every server adds by itself.
  for (const name of ['date', 'connection', 'keep-alive', 'content-length']) delete headers[name]
  return { headers, body: await response.text() }
}
