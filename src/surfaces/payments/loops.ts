/** The periodic work of payments: it fetches lost webhooks and compares the books. */
import type { Loop } from '#dodeca/kernel'
import { closeAccounts, closing_topic } from './accounts/close-accounts.ts'
import { forEachAccount } from './accounts/for-each-account.ts'
import type { Deps } from './deps.ts'
import { catchUp } from './provider-events/catch-up.ts'
import { requestRegularRun } from './reconciliation/request-run.ts'

const closing_ms = 30_000

export function loops(deps: Deps): readonly Loop[] {
  const { settings } = deps.kernel
  return [
    {
      name: 'payments.event_catchup',
      every_ms: settings['payments.event_catchup_seconds'] * 1000,
      run: signal => forEachAccount(deps, signal, at => catchUp(at, signal)),
    },
    {
      name: 'payments.account_closing',
      every_ms: closing_ms,
      topics: [closing_topic],
      run: signal => closeAccounts(deps, signal),
    },
    {
      name: 'payments.reconcile',
      every_ms: Math.min(60, settings['payments.reconcile_seconds']) * 1000,
      run: () => requestRegularRun(deps),
    },
  ]
}
