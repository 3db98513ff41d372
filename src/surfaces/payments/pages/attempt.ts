/**
 * An attempt to pay on a page: begins it, closes what waits for its payer first, and calls the
 * provider outside any transaction. The same attempt again continues or repeats its outcome.
 */
import { Problem, type RequestFacts } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem, refuseMember } from '../errors.ts'
import { carryOut } from '../operations/carry-out.ts'
import { refusalOf } from '../operations/reply-for.ts'
import { findOperation } from '../operations/rows.ts'
import { findRequest, isLink, isOwned, type RequestRow } from '../requests/request-row.ts'
import { vendorOf } from '../provider/account-key.ts'
import { accountsOf } from '../requests/accounts-of.ts'
import { attemptOwned } from '../requests/owned-requests.ts'
import { amountOf, beginAttempt, openUse, type Given, type Step } from './begin-attempt.ts'
import { readState, type PageState } from './page-state.ts'

const rounds_max = 5
const hour_seconds = 3600
/** A thief must not learn which stolen cards the bank knows. */
const not_told = ['lost_card', 'stolen_card', 'fraudulent', 'pickup_card', 'restricted_card']

export async function attempt(
  deps: Deps,
  request: RequestRow,
  given: Given,
  { ip }: Pick<RequestFacts, 'ip'>,
): Promise<PageState> {
  const { kernel } = deps
  const accounts = await accountsOf(deps, request)
  if (accounts.length === 0) throw problem('payment_provider_unavailable')
  const at = accounts.find(({ provider }) => vendorOf(provider.name) === given.provider)
  if (!at) throw refuseMember('provider_unsupported', '/provider')
  const many = kernel.settings['payments.page_declines_per_hour']
  const bucket = { name: 'payments.page_declines', ip, many, per_seconds: hour_seconds, wait: true }
  const place = await kernel.take(kernel.db, [bucket])
  let declined = false
  try {
    if (isOwned(request)) {
      amountOf(request, given)
      await attemptOwned(at, request, given, ip)
      return await readState(deps, request)
    }
    const { kind, operation_id, request_id } = await begin(at, request, given)
    await kernel.fault('payments.after_operation')
    if (kind === 'begun') await carryOut(deps, operation_id)
    const operation = await findOperation(kernel.db, operation_id)
    if (operation?.state === 'failed') {
      declined = kind === 'begun' && operation.error_code !== null
      throw refusalFor(operation)
    }
    return await readState(deps, { tenant_id: request.tenant_id, id: request_id })
  } catch (error) {
    declined ||= isOwned(request) && error instanceof Problem && error.code === 'payment_declined'
    throw error
  } finally {
    if (declined) place.keep()
    else await place.giveBack()
  }
}

async function begin(deps: Deps, seen: RequestRow, given: Given) {
  const { db } = deps.kernel
  for (let round = 0; round < rounds_max; round++) {
    const step: Step = await db.tx(async tx => {
      const request = isLink(seen)
        ? await openUse(tx, deps, seen, given)
        : await findAgain(tx, seen)
      return request ? await beginAttempt(tx, deps, request, given) : { kind: 'again' }
    })
    if (step.kind === 'known' || step.kind === 'begun') return { ...step, kind: step.kind }
    if (step.kind === 'closes' && step.operation_id !== null)
      await carryOut(deps, step.operation_id)
  }
  throw problem('operation_pending', { detail: 'A payment of this request is under way.' })
}

async function findAgain(tx: Parameters<typeof findRequest>[0], seen: RequestRow) {
  const found = await findRequest(tx, seen)
  if (!found) throw problem('payment_request_not_found')
  return found
}

function refusalFor(operation: NonNullable<Awaited<ReturnType<typeof findOperation>>>): Problem {
  const told = not_told.includes(operation.error_code ?? '')
    ? 'generic_decline'
    : operation.error_code
  return refusalOf({ ...operation, error_code: told })
}
