/** What payments does without being asked: lost webhooks are looked for, and the books are compared. */
import { sql } from '../../kernel/database/sql.ts'
import type { Loop } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { catchUp } from './provider-events/catch-up.ts'
import { requestRegularRun } from './reconciliation/request-run.ts'

const forget_batch = 1000

export function loops(deps: Deps): readonly Loop[] {
  const { settings } = deps.kernel
  return [
    {
      name: 'payments.event_catchup',
      every_ms: settings['payments.event_catchup_seconds'] * 1000,
      run: signal => catchUp(deps, signal),
    },
    {
      name: 'payments.reconcile',
      every_ms: Math.min(60, settings['payments.reconcile_seconds']) * 1000,
      run: () => requestRegularRun(deps),
    },
    { name: 'payments.forget_events', every_ms: 3_600_000, run: () => forgetEvents(deps) },
  ]
}

async function forgetEvents({ kernel }: Deps): Promise<void> {
  const days = kernel.settings['payments.events_retention_days']
  await kernel.db.run(sql`
    delete from payments.provider_events
    where (provider, event_id) in (
      select provider, event_id from payments.provider_events
      where received_at < now() - make_interval(days => ${days}) and processed_at is not null
      order by received_at limit ${forget_batch})`)
}
