/**
 * What happens in this Stripe without a request: late effects, expiries, refunds that settle or
 * fail.
 */
import { workIn, type Vended } from './vended.ts'
import type { LateRequest, Scheduled } from './objects.ts'
import { expireIntent } from './payment-intents.ts'
import { failRefund, settleRefund } from './refunds.ts'
import type { Work } from './work.ts'

const runs: Readonly<Record<string, (work: Work, object: string) => void>> = {
  expire: expireIntent,
  refund_succeeds: settleRefund,
  refund_fails: failRefund,
}

export function runDue(vended: Vended, late: (request: LateRequest) => void): void {
  const { store, clock } = vended
  const now_ms = clock.nowMs()
  const due = store.all('scheduled').filter(one => one.at_ms <= now_ms)
  for (const one of due) runOne(vended, one, late)
  if (due.length > 0) vended.deliveries.wake()
}

function runOne(vended: Vended, one: Scheduled, late: (request: LateRequest) => void): void {
  vended.store.change(change => {
    change.drop('scheduled', one.id)
    if (one.request) return
    runs[one.kind]?.(workIn(vended, change), one.object)
  })
  if (one.request) late(one.request)
}
