/**
 * Notifications beside what limits them: liquidjs, nodemailer, and Fastify with pg alone, and a mail server
 * that takes everything. All of it in one run on one machine, the mail server and PostgreSQL included.
 * With --seconds below 6 the batches are smaller in the same measure.
 */
import { comparison } from './ground/comparison.ts'
import { figure } from './ground/report.ts'
import { measureAccept } from './notifications/accept.ts'
import { measureDispatch } from './notifications/dispatch.ts'
import {
  giveUp,
  measureExpansion,
  measureInApp,
  measureRender,
  measureUrgent,
  urgentLatencies,
  type Measured,
} from './notifications/measures.ts'
import { prepare } from './notifications/prepare.ts'
import { openSink } from './notifications/sink.ts'

await comparison('notifications', async ({ database, options }) => {
  const { only, profile } = options
  const scale = Math.min(1, options.seconds / 6)
  const measured: Measured[] = []
  /** Prints each figure immediately, because the whole run takes minutes. */
  const keep = (all: readonly Measured[]) => {
    measured.push(...all)
    for (const { says, reached, unit } of all.map(one => one.verdict)) {
      process.stderr.write(`  ${says}: ${figure(reached)} ${unit}\n`)
    }
  }
  const wanted = (name: string) => only === null || only === name
  const sink = await openSink()
  try {
    if (wanted('render')) keep([measureRender(scale)])
    if (wanted('accept')) keep(await measureAccept(database, sink, options))
    const at = await prepare(database, sink, 'notifications', {
      profile: only === 'accept' ? null : profile,
    })
    try {
      if (wanted('dispatch')) keep(await measureDispatch(at, sink, scale, options.rounds))
      if (wanted('batch')) {
        const idle = await urgentLatencies(at, sink, Math.ceil(100 * scale))
        const { measured: expanded, batch_id } = await measureExpansion(at, scale)
        keep(expanded)
        const beside = await urgentLatencies(at, sink, Math.ceil(200 * scale))
        keep(measureUrgent(idle, beside))
        await giveUp(at, batch_id)
      }
      if (wanted('in_app')) keep([await measureInApp(at, scale)])
    } finally {
      await at.stop()
    }
  } finally {
    sink.stop()
  }
  return [
    {
      title: 'Notifications',
      columns: ['', 'ours', 'beside it'],
      rows: measured.map(one => one.row).filter(([name]) => name !== ''),
      verdicts: measured.map(one => one.verdict),
      notes: [
        'Limits of tenants and of recipient domains are set out of the way; the batches emit no events.',
        'The mail server, the client, the platform and PostgreSQL share the machine.',
      ],
    },
  ]
})
