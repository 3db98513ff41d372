/** The periodic work of payments: it fetches lost webhooks and compares the books. */
import type { Loop } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { catchUp } from './provider-events/catch-up.ts'
import { requestRegularRun } from './reconciliation/request-run.ts'

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
  ]
}
