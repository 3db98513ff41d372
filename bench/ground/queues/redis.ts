/** A separate Redis for a comparison, with a configurable durability. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Redis = {
  readonly url: string
  readonly pid: number | undefined
  close(): Promise<void>
}

/** Null where there is none on this machine. */
export async function openRedis(appendfsync: 'always' | 'everysec'): Promise<Redis | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-redis-'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  const port = typeof address === 'object' && address ? address.port : 0
  const usual = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const kept = ['--appendonly', 'yes', '--appendfsync', appendfsync]
  const child = spawn('redis-server', [...usual, ...kept], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await new Promise(resolve => setTimeout(resolve, 300))
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    close: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
