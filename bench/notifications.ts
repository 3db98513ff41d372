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
} from './notifications/measures.ts'
import { measureAccept } from './notifications/accept.ts'
import { prepare } from './notifications/prepare.ts'
import { openSink } from './notifications/sink.ts'

await comparison('notifications', async ({ database }) => {
  const sink = await openSink()
  try {
    const at = await prepare(database, sink, 'notifications')
    try {
      const rendered = measureRender()
      const accepted = await measureAccept(at, await database.create('bare'))
      const dispatched = await measureDispatch(at, sink)
      const idle = await urgentLatencies(at, sink, 50)
      const { measured: expanded, batch_id } = await measureExpansion(at)
      const beside = await urgentLatencies(at, sink, 100)
      await at.call('POST', `/v1/notifications/batches/${batch_id}/cancel`)
      const inApp = await measureInApp(at)
      const all = [
        rendered,
        accepted,
        ...dispatched,
        ...expanded,
        ...measureUrgent(idle, beside),
        inApp,
      ]
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
