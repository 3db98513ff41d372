/** The measurements of notifications, each compared with its limit. */
import { setTimeout as wait } from 'node:timers/promises'
import { Liquid } from 'liquidjs'
import { newId } from '#dodeca/kernel'
import { hashOf, render } from '../../src/surfaces/notifications/templates/render.ts'
import { ask } from '../ground/database.ts'
import type { Verdict } from '../ground/report.ts'
import { median, percentile } from '../ground/rounds.ts'
import { sendBatch, type Notifying } from './prepare.ts'
import type { Sink } from './sink.ts'

export type Measured = {
  readonly row: readonly [string, string, string]
  readonly verdict: Verdict
}

export const round = (value: number) => Math.round(value).toLocaleString('en')
export const html = `<h1>Hello {{ name }}</h1>${'<p>Words of a mail.</p>'.repeat(30)}`
export const addresses = (many: number) =>
  Array.from({ length: many }, (_, index) => ({
    email: `p${index}-${newId().slice(-6)}@example.test`,
  }))

export function measureRender(scale: number): Measured {
  const many = Math.round(20_000 * scale)
  const content = { subject: 'Hello {{ name }}', body: html, text_body: html, url: null }
  const template = {
    channel: 'email',
    format: 'html',
    default_locale: 'en',
    contents: { en: content },
  } as const
  const input = {
    data: { name: 'Ada' },
    locales: [null],
    timezone: 'UTC',
    now: '2026-01-01T00:00:00Z',
    unsubscribe_url: '',
  }
  const liquid = new Liquid({ outputEscape: 'escape' })
  const parsed = [content.subject, html, html].map(text => liquid.parse(text))
  const timed = (run: () => void) => {
    for (let index = 0; index < many / 10; index++) run()
    const began = performance.now()
    for (let index = 0; index < many; index++) run()
    return (many * 1000) / (performance.now() - began)
  }
  // Measured in turns, so that both have the same conditions.
  const turns = Array.from({ length: 5 }, () => ({
    alone: timed(() => {
      for (const one of parsed) liquid.renderSync(one, input.data)
    }),
    ours: timed(() => void render(template, input)),
    hashed: timed(() => void hashOf(render(template, input))),
  }))
  const alone = median(turns.map(one => one.alone))
  const ours = median(turns.map(one => one.ours))
  const hashed = median(turns.map(one => one.hashed))
  return {
    row: [
      'render a mail (subject, HTML, text)',
      `${round(ours)}/s, with its SHA-256 ${round(hashed)}/s`,
      `liquidjs alone ${round(alone)}/s`,
    ],
    verdict: {
      says: 'render / liquidjs alone',
      reached: median(turns.map(one => one.ours / one.alone)),
      target: 0.8,
      unit: '',
      wanted: 'at least',
    },
  }
}

export async function measureExpansion(
  at: Notifying,
  scale: number,
): Promise<{ measured: Measured[]; batch_id: string }> {
  const recipients = addresses(Math.round(100_000 * scale))
  const before = await at.memory()
  let highest = before
  const watch = setInterval(
    () => void at.memory().then(now => (highest = Math.max(highest, now))),
    100,
  )
  const began = performance.now()
  const batch_id = await sendBatch(at, 'email', recipients)
  const seconds = (performance.now() - began) / 1000
  clearInterval(watch)
  const grown = highest - before
  return {
    batch_id,
    measured: [
      {
        row: [
          `${round(recipients.length)} recipients in one request, accepted and expanded`,
          `${seconds.toFixed(1)} s`,
          `memory + ${round(grown)} MiB`,
        ],
        verdict: {
          says: `${round(recipients.length)} recipients accepted and expanded`,
          reached: seconds,
          target: 15,
          unit: 's',
          wanted: 'at most',
        },
      },
      {
        row: ['', '', ''],
        verdict: {
          says: 'memory of the platform meanwhile',
          reached: grown,
          target: 64,
          unit: 'MiB',
          wanted: 'at most',
        },
      },
    ],
  }
}

/** From the request to the mail server, one a tenth of a second. */
export async function urgentLatencies(at: Notifying, sink: Sink, many: number): Promise<number[]> {
  const sent = new Map<string, number>()
  const tag = String(Date.now() % 1e6)
  for (let index = 0; index < many; index++) {
    const name = `urgent-${tag}${String(index).padStart(4, '0')}`
    sent.set(name, Date.now())
    const { status, body } = await at.call('POST', '/v1/notifications', {
      recipient: { email: `${name}@example.test` },
      category: 'order.updates',
      template: { name: 'bench' },
      data: { name },
      channels: ['email'],
      priority: 'critical',
    })
    if (status !== 202) throw new Error(JSON.stringify(body))
    await wait(100)
  }
  for (let looks = 0; looks < 200; looks++) {
    const { urgent } = await sink.seen()
    if ([...sent.keys()].every(name => urgent[name] !== undefined)) break
    await wait(50)
  }
  const { urgent } = await sink.seen()
  return [...sent].map(([name, at_ms]) => (urgent[name] ?? Infinity) - at_ms)
}

const p99 = (latencies: readonly number[]) => percentile(latencies, 0.99)

export function measureUrgent(idle: readonly number[], beside: readonly number[]): Measured[] {
  return [
    {
      row: [
        'critical mail, request to relay, p99',
        `${round(p99(beside))} ms beside the batch`,
        `${round(p99(idle))} ms idle`,
      ],
      verdict: {
        says: 'critical p99 beside the batch',
        reached: p99(beside),
        target: 500,
        unit: 'ms',
        wanted: 'at most',
      },
    },
  ]
}

/** A batch is cancelled in portions. Later measurements wait until it is done. */
export async function giveUp(at: Notifying, batch_id: string): Promise<void> {
  const path = `/v1/notifications/batches/${batch_id}`
  await at.call('POST', `${path}/cancel`)
  for (;;) {
    const { body } = await at.call('GET', path)
    if (body['completed_at'] !== null) return
    await wait(500)
  }
}

export async function measureInApp(at: Notifying, scale: number): Promise<Measured> {
  const many = Math.round(100_000 * scale)
  // People who never logged in: their inboxes are there all the same.
  await ask(
    at.database_url,
    `insert into identity.accounts (id, tenant_id, email, email_normalized, email_scope, status)
     select gen_random_uuid(), $1, 'bulk-' || n || '@example.test', 'bulk-' || n || '@example.test', $1, 'active'
     from generate_series(1, ${many}) n`,
    [at.tenant_id],
  )
  const people = await ask(
    at.database_url,
    `select id from identity.accounts where email like 'bulk-%'`,
  )
  const began = performance.now()
  const id = await sendBatch(
    at,
    'in_app',
    people.map(one => ({ user_id: one['id'] })),
  )
  for (;;) {
    const { body } = await at.call('GET', `/v1/notifications/batches/${id}`)
    if (body['state'] === 'completed') break
    if (performance.now() - began > 300_000) throw new Error(JSON.stringify(body))
    await wait(500)
  }
  const seconds = (performance.now() - began) / 1000
  return {
    row: [
      `in-app batch of ${round(many)}, from the request to every inbox`,
      `${seconds.toFixed(0)} s`,
      `${round(many / seconds)}/s`,
    ],
    verdict: {
      says: `in-app batch of ${round(many)}`,
      reached: seconds,
      target: 60,
      unit: 's',
      wanted: 'at most',
    },
  }
}
