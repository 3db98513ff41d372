/** nginx on the server's core, answering the same redirect from its configuration; null where there is none. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, startOn } from '../ground/machine.ts'
import type { Given } from './bare-redirect.ts'

export async function startNginx({ status, headers }: Given) {
  const program = ['nginx', '/usr/sbin/nginx'].find(one => !spawnSync(one, ['-v']).error)
  if (!program) return null
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(folder, port, status, headers))
  const child = startOn({
    side: 'server',
    program,
    args: ['-p', folder, '-c', file],
    stdio: 'inherit',
  })
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error('nginx did not start')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await ended(child)
    await rm(folder, { recursive: true, force: true })
  }
  return { port, pid: child.pid, stop }
}

/** One process that answers everything, with the headers that it does not set by itself. */
function configuration(
  folder: string,
  port: number,
  status: number,
  headers: readonly string[],
): string {
  const added: string[] = []
  let location = ''
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    if (name === 'location') location = value
    else if (name !== 'content-length') added.push(`add_header ${name} "${value}" always;`)
  }
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; ${added.join(' ')} return ${status} "${location}"; }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
