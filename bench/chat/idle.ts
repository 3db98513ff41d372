/** The memory of 10,000 idle sockets in one process, beside bare ws; and how soon 2,000 that were cut are back. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import type { Bench } from '../ground/comparison.ts'
import { ended, residentMegabytes, startOn } from '../ground/machine.ts'
import { figure, type Section } from '../ground/report.ts'
import type { Ground } from './ground.ts'
import { openSockets } from './room.ts'

const count = 10_000
const cut_count = 2000

export async function idle(_bench: Bench, ground: Ground): Promise<Section> {
  const bare = await bareSockets()
  await ground.group()
  const before = (await residentMegabytes(ground.api.pid)) ?? Number.NaN
  const sockets = await openSockets(ground, count)
  const mine = kilobytesEach(before, await residentMegabytes(ground.api.pid))
  const cut = sockets.splice(0, cut_count)
  for (const socket of cut) socket.terminate()
  const began = performance.now()
  const again = await openSockets(ground, cut_count, cut_count)
  await Promise.all(
    again.map(async socket => {
      socket.send(JSON.stringify({ type: 'sync', conversations: [] }))
      await once(socket, 'message')
    }),
  )
  const back_s = (performance.now() - began) / 1000
  const held = sockets.filter(one => one.readyState === WebSocket.OPEN).length
  for (const socket of [...sockets, ...again]) socket.terminate()
  return {
    title: `${count.toLocaleString('en')} idle sockets`,
    columns: ['', 'KB a socket'],
    rows: [
      ['ws', figure(bare)],
      ['dodeca', figure(mine)],
    ],
    verdicts: [
      { says: 'dodeca / ws', reached: mine / bare, target: 1.3, unit: '', wanted: 'at most' },
      {
        says: `${cut_count.toLocaleString('en')} back at once and synchronized after a cut`,
        reached: back_s,
        target: 10,
        unit: 's',
        wanted: 'at most',
      },
    ],
    notes: [
      'Resident memory of the process after the sockets opened, less that before. It includes what a growing heap takes in advance.',
      `The other ${(count - cut_count).toLocaleString('en')} stay open meanwhile; ${held.toLocaleString('en')} of them were open at the end.`,
    ],
  }
}

function kilobytesEach(before: number, after: number | null): number {
  return (((after ?? Number.NaN) - before) * 1024) / count
}

async function bareSockets(): Promise<number> {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('./echo-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ kind: 'ws', database_url: '' })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const before = (await residentMegabytes(child.pid)) ?? Number.NaN
  const sockets: WebSocket[] = []
  for (let from = 0; from < count; from += 50) {
    const some = Array.from({ length: 50 }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false })
      await once(socket, 'open')
      return socket
    })
    sockets.push(...(await Promise.all(some)))
  }
  const found = kilobytesEach(before, await residentMegabytes(child.pid))
  for (const socket of sockets) socket.terminate()
  child.kill('SIGTERM')
  await ended(child)
  return found
}
