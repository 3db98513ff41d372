/**
 * Notifications beside what limits them: liquidjs and nodemailer alone, and a mail server that takes
 * everything. All of it in one run on one machine, the mail server and PostgreSQL included.
 */
import { comparison } from './ground/comparison.ts'
import {
  measureDispatch,
  measureExpansion,
  measureInApp,
  measureRender,
  measureUrgent,
  urgentLatencies,
  type Measured,
} from './notifications/measures.ts'
import { measureAccept } from './notifications/accept.ts'
import { prepare } from './notifications/prepare.ts'
import { openSink } from './notifications/sink.ts'

/** Each figure as soon as it is there: the whole takes minutes. */
function said(one: Measured): Measured {
  const { says, reached, target, unit } = one.verdict
  process.stderr.write(`${says}: ${reached.toFixed(2)}${unit} (${target}${unit})\n`)
  return one
}

await comparison('notifications', async ({ database }) => {
  const sink = await openSink()
  try {
    const at = await prepare(database, sink, 'notifications')
    try {
      const rendered = said(measureRender())
      const accepted = said(await measureAccept(at, await database.create('bare')))
      const dispatched = (await measureDispatch(at, sink)).map(said)
      const idle = await urgentLatencies(at, sink, 50)
      const { measured: expanded, batch_id } = await measureExpansion(at)
      expanded.forEach(said)
      const beside = await urgentLatencies(at, sink, 100)
      await at.call('POST', `/v1/notifications/batches/${batch_id}/cancel`)
      const urgent = measureUrgent(idle, beside).map(said)
      const inApp = said(await measureInApp(at))
      const all = [rendered, accepted, ...dispatched, ...expanded, ...urgent, inApp]
      return [
        {
          title: 'Notifications',
          columns: ['', 'ours', 'beside it'],
          rows: all.map(one => one.row).filter(([name]) => name !== ''),
          verdicts: all.map(one => one.verdict),
          notes: [
            'Limits of tenants and of recipient domains are set out of the way; the batch does not emit events.',
            'The mail server, the sender of requests, the platform and PostgreSQL share the machine.',
          ],
        },
      ]
    } finally {
      await at.stop()
    }
  } finally {
    sink.stop()
  }
})
