/**
 * Compares our books with the provider's, page by page. First it compares the provider's payments,
 * refunds, balance transactions and payouts. Then it checks the rows that only we have, and proves
 * the balance. A difference is corrected if the provider's data is enough. Otherwise the difference
 * becomes an item. Each difference is corrected and counted in one transaction, and the position is
 * stored after each page, so a run survives a crash.
 */
import { again, dead, done, dueQueue, retry, sql, type DueQueue } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { ProviderFailure } from '../provider/port.ts'
import { compareBalanceTransactions } from './compare-balance-transactions.ts'
import { compareLocal } from './compare-local.ts'
import { comparePayments } from './compare-payments.ts'
import { compareRefunds } from './compare-refunds.ts'
import { linkPayouts } from './link-payouts.ts'
import { RunRow, type PageResult, type Run } from './page-result.ts'
import { proveBalance } from './prove-balance.ts'
import { reconciliation_queue } from './request-run.ts'

type Phase = (deps: Deps, run: Run, signal: AbortSignal) => Promise<PageResult>

const phases: readonly (readonly [string, Phase])[] = [
  ['payments', comparePayments],
  ['refunds', compareRefunds],
  ['balance_transactions', compareBalanceTransactions],
  ['payouts', linkPayouts],
  ['local', compareLocal],
  ['proof', proveBalance],
]

export function reconciliationQueue(deps: Deps): DueQueue {
  return dueQueue<typeof RunRow, PageResult>({
    name: reconciliation_queue,
    table: 'payments.reconciliation_runs',
    key: ['id'],
    row: RunRow,
    load: sql`
      t.provider, t.phase, t.page_after, extract(epoch from t.from_at)::float8 as from_s,
      case when t.to_at < kernel.now() then extract(epoch from t.to_at)::float8 end as to_s,
      -- the platform's clock may be ahead in development
      extract(epoch from least(t.created_at, now()))::float8 as started_s`,
    where: sql`t.state in ('queued', 'running')`,
    batch: 4,
    concurrency: 4,
    lease_seconds: 300,
    retry: { first: 5, factor: 3, cap: 1800 },
    attempts_max: 20,
    run: async (row, signal) => {
      const phase = phases.find(([name]) => name === row.phase)?.[1]
      if (!phase) throw new Error(`a reconciliation has no phase ${row.phase}`)
      const at = await atAccount(deps, row.provider)
      if (!at) return dead('payment_account_closed')
      try {
        const result = await phase(at, row, signal)
        if (result.after !== null && result.after === row.page_after) {
          throw new Error(`the provider's list of ${row.phase} does not go on`)
        }
        await runSteps(deps, row, result, signal)
        await deps.kernel.fault('payments.reconciliation_page')
        const last = result.after === null && row.phase === phases.at(-1)?.[0]
        return last ? done(result) : again(0, result)
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return retry(error.code, { counts: error.kind !== 'not_sent' })
      }
    },
    finish: async (tx, row, outcome) => {
      if (outcome.end === 'retry' || !outcome.result) return
      const { after, compared } = outcome.result
      await outcome.result.finish?.(tx)
      const at = phases.findIndex(([name]) => name === row.phase)
      const next = after === null ? (phases[at + 1]?.[0] ?? row.phase) : row.phase
      const over = outcome.end === 'done'
      await tx.run(sql`
        update payments.reconciliation_runs
        set phase = ${next}, page_after = ${after}, compared = compared + ${compared},
          state = ${over ? 'succeeded' : 'running'},
          finished_at = case when ${over} then kernel.now() end
        where id = ${row.id}`)
    },
    dead: async (tx, { id }) => {
      await tx.run(sql`
        update payments.reconciliation_runs
        set state = 'failed', finished_at = kernel.now() where id = ${id}`)
    },
  })
}

async function runSteps(
  { kernel: { db } }: Deps,
  run: Run,
  { steps }: PageResult,
  signal: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    signal.throwIfAborted()
    await db.tx(async tx => {
      const { fixed, opened } = await step(tx)
      if (fixed + opened === 0) return
      await tx.run(sql`
        update payments.reconciliation_runs
        set fixed = fixed + ${fixed}, opened = opened + ${opened}
        where id = ${run.id}`)
    })
  }
}
