/**
 * Debian's clamd with signatures of our own: EICAR, which every scanner finds, and a marker of this
 * project. The official signatures are downloads, and tests download nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './world.ts'
import { endsWithFile } from './children.ts'

export const clamdIsInstalled = existsSync('/usr/sbin/clamd')

/** What the second signature finds. */
export const marker = 'DODECA-TEST-MARKER-7f3a1c'

export type RunningClamd = {
  readonly address: string
  close(): Promise<void>
}

export async function startClamd({ max_bytes = 20 * 1024 * 1024 } = {}): Promise<RunningClamd> {
  const home = await mkdtemp(join(tmpdir(), 'dodeca-clamd-'))
  const address = join(home, 'clamd.socket')
  const hex = Buffer.from(marker).toString('hex')
  const eicar = Buffer.from('X5O!P%@AP[4\\PZX54(P^)7CC)7}$').toString('hex')
  await writeFile(
    join(home, 'dodeca.ndb'),
    `Dodeca.Test.Eicar:0:*:${eicar}\nDodeca.Test.Marker:0:*:${hex}\n`,
  )
  await writeFile(
    join(home, 'clamd.conf'),
    `LocalSocket ${address}
DatabaseDirectory ${home}
TemporaryDirectory ${home}
Foreground yes
User root
AlertExceedsMax yes
AlertEncrypted yes
StreamMaxLength ${max_bytes}
MaxFileSize ${max_bytes}
MaxScanSize ${max_bytes}
MaxThreads 2
ConcurrentDatabaseReload no
`.replace('User root\n', process.geteuid?.() === 0 ? 'User root\n' : ''),
  )
  const daemon = endsWithFile(
    spawn('/usr/sbin/clamd', ['-c', join(home, 'clamd.conf')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const said: string[] = []
  for (const stream of [daemon.stdout, daemon.stderr])
    stream.on('data', (text: Buffer) => said.push(String(text)))
  const close = async () => {
    daemon.kill('SIGKILL')
    if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit')
    await rm(home, { recursive: true, force: true })
  }
  await eventually('clamd answers', async () => {
    if (daemon.exitCode !== null) throw new Error(`clamd ended: ${said.join('')}`)
    return await answers(address)
  })
  return { address, close }
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    socket.write('zPING\0')
    const [reply] = (await once(socket, 'data')) as [Buffer]
    return reply.toString() === 'PONG\0'
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
