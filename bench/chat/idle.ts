/** The memory of 10,000 idle sockets in one process, beside bare ws; and how soon 2,000 that were cut are back. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../ground/comparison.ts'
import { ended, residentMegabytes, startOn } from '../ground/machine.ts'
import { figure, type Section } from '../ground/report.ts'
import { startEcho } from './echo.ts'
import { socketUrls, type Ground } from './ground.ts'
import type { Held, Hold } from './holder-process.ts'

const count = 10_000
/** Tokens are valid for a minute, so those of later sockets are newer. */
const portion = 2000
const cut_count = 2000
const together = 50

export async function idle(_bench: Bench, ground: Ground): Promise<Section> {
  const bare = await bareSockets()
  await ground.group()
  const client = startHolder()
  const before = (await residentMegabytes(ground.api.pid)) ?? Number.NaN
  const opened = await open(client, () => socketUrls(ground, portion), true)
  const mine = kilobytesEach(before, await residentMegabytes(ground.api.pid))
  const back = await ask(client, {
    ask: 'storm',
    urls: await socketUrls(ground, cut_count),
    count: cut_count,
  })
  await stop(client)
  return {
    title: `${count.toLocaleString('en')} idle sockets`,
    columns: ['', 'open', 'KB a socket'],
    rows: [
      ['ws', bare.open.toLocaleString('en'), figure(bare.kilobytes)],
      ['dodeca', opened.open.toLocaleString('en'), figure(mine)],
    ],
    verdicts: [
      {
        says: 'dodeca / ws',
        reached: mine / bare.kilobytes,
        target: 1.3,
        unit: '',
        wanted: 'at most',
      },
      {
        says: `${cut_count.toLocaleString('en')} back at once and synchronized after a cut`,
        reached: back.seconds,
        target: 10,
        unit: 's',
        wanted: 'at most',
      },
    ],
    notes: [
      'Resident memory of the process after the sockets opened, less that before. It includes what a growing heap takes in advance.',
      `The other ${(count - cut_count).toLocaleString('en')} stay open meanwhile; ${back.open.toLocaleString('en')} were open at the end.`,
    ],
  }
}

function kilobytesEach(before: number, after: number | null): number {
  return (((after ?? Number.NaN) - before) * 1024) / count
}

async function bareSockets(): Promise<{ readonly open: number; readonly kilobytes: number }> {
  const { child, port } = await startEcho({ kind: 'ws', database_url: '' })
  const client = startHolder()
  const before = (await residentMegabytes(child.pid)) ?? Number.NaN
  const held = await open(client, async () => [`ws://127.0.0.1:${port}/`], false)
  const kilobytes = kilobytesEach(before, await residentMegabytes(child.pid))
  await stop(client)
  child.kill('SIGTERM')
  await ended(child)
  return { open: held.open, kilobytes }
}

function startHolder(): ChildProcess {
  return startOn({
    side: 'client',
    program: process.execPath,
    args: [fileURLToPath(new URL('./holder-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function open(
  client: ChildProcess,
  urlsOf: () => Promise<string[]>,
  hello: boolean,
): Promise<Held> {
  let held: Held = { open: 0, seconds: 0 }
  for (let opened = 0; opened < count; opened += portion) {
    const urls = await urlsOf()
    held = await ask(client, { ask: 'open', urls, count: portion, together, hello })
  }
  return held
}

async function ask(client: ChildProcess, asked: Hold): Promise<Held> {
  client.send(asked)
  const answered = once(client, 'message')
  const [held] = (await Promise.race([answered, once(client, 'exit')])) as [Held | number | null]
  if (typeof held !== 'object' || held === null) throw new Error('the client ended')
  return held
}

async function stop(client: ChildProcess): Promise<void> {
  client.disconnect()
  await ended(client)
}
