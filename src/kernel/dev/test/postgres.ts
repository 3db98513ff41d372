/**
 * A PostgreSQL of its own for one test file, from the system's packages, thrown away at the end.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const bin = '/usr/lib/postgresql/15/bin'

export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'dev-test-pg-'))
  const account = accountOf()
  if ('uid' in account) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  execFileSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...account,
      cwd: folder,
      stdio: 'pipe',
    },
  )
  const port = await freePort()
  const server = spawn(
    `${bin}/postgres`,
    ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off'],
    { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', chunk => {
      if (String(chunk).includes('ready to accept connections')) resolve()
    })
    server.once('exit', code => reject(new Error(`PostgreSQL ended with ${code}`)))
  })
  // A test file that fails before its end must not leave a server behind.
  process.once('exit', () => server.kill('SIGINT'))
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const exited = once(server, 'exit')
      server.kill('SIGINT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function accountOf(): { uid: number; gid: number } | Record<never, never> {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
