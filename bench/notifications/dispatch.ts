/** Mails of a batch to one relay, in turns with nodemailer alone. */
import { createTransport } from 'nodemailer'
import { processorSeconds } from '../ground/machine.ts'
import { figure } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'
import { addresses, html, round, type Measured } from './measures.ts'
import { sendBatch, type Notifying } from './prepare.ts'
import type { Sink } from './sink.ts'

type Mails = { readonly per_second: number; readonly cpu_us: number }

async function nodemailerAlone(sink: Sink, many: number): Promise<Mails> {
  const transport = createTransport({
    url: sink.url,
    pool: true,
    maxConnections: 20,
    maxMessages: 1e9,
  })
  await sink.reset()
  const began = Date.now()
  const used = process.cpuUsage()
  const text = 'Words of a mail.\n'.repeat(30)
  await Promise.all(
    addresses(many).map(({ email: to }) =>
      transport.sendMail({ from: 'a@dodeca.test', to, subject: 'Hello Ada', html, text }),
    ),
  )
  const { last_at } = await sink.reached(many)
  transport.close()
  const { user, system } = process.cpuUsage(used)
  return { per_second: (many * 1000) / (last_at - began), cpu_us: (user + system) / many }
}

async function throughPlatform(at: Notifying, sink: Sink, many: number): Promise<Mails> {
  const { pid } = at.program
  await sink.reset()
  await sendBatch(at, 'email', addresses(many))
  const began = Date.now()
  const before = (await sink.seen()).mails
  const used = await processorSeconds(pid)
  const { last_at } = await sink.reached(many)
  const cpu_s = ((await processorSeconds(pid)) ?? 0) - (used ?? 0)
  const mails = many - before
  return { per_second: (mails * 1000) / (last_at - began), cpu_us: (cpu_s * 1e6) / mails }
}

/** In turns with nodemailer alone, after a warm-up of both. */
export async function measureDispatch(
  at: Notifying,
  sink: Sink,
  scale: number,
  rounds: number,
): Promise<Measured[]> {
  const many = Math.round(5000 * scale)
  const turns: { alone: Mails; ours: Mails }[] = []
  for (let round = 0; round <= rounds; round++) {
    const mails = round === 0 ? Math.ceil(many / 2) : many
    const alone = await nodemailerAlone(sink, mails)
    const ours = await throughPlatform(at, sink, mails)
    if (round > 0) turns.push({ alone, ours })
  }
  const middle = (all: readonly Mails[]) => ({
    per_second: median(all.map(one => one.per_second)),
    cpu_us: median(all.map(one => one.cpu_us)),
  })
  const said = ({ per_second, cpu_us }: Mails) => `${round(per_second)}/s, CPU ${figure(cpu_us)} µs`
  const ours = middle(turns.map(one => one.ours))
  const row = [
    'mails of a batch to one relay, 20 connections',
    said(ours),
    `nodemailer alone ${said(middle(turns.map(one => one.alone)))}`,
  ] as const
  return [
    {
      row,
      verdict: {
        says: 'mails / nodemailer alone',
        reached: median(turns.map(one => one.ours.per_second / one.alone.per_second)),
        target: 0.6,
        unit: '',
        wanted: 'at least',
      },
    },
    {
      row: ['', '', ''],
      verdict: {
        says: 'mails a second',
        reached: ours.per_second,
        target: 500,
        unit: '/s',
        wanted: 'at least',
      },
    },
  ]
}
