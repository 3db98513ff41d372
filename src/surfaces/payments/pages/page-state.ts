/**
 * The state of a request for its payer. While the payment waits for the payer, the provider is asked,
 * and what it says is applied: a page must not wait for a webhook that was lost.
 */
import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { NextStep } from '../intents/intent-view.ts'
import { stepOf } from '../intents/next-action.ts'
import { applyProviderState } from '../operations/apply-provider-state.ts'
import { findIntent } from '../operations/rows.ts'
import { ProviderFailure } from '../provider/port.ts'
import { returnUrlOf } from '../requests/owned-requests.ts'
import { findRequest, request_states, urlOf, type RequestRow } from '../requests/request-row.ts'

export const PageState = Type.Object(
  {
    state: oneOf(...request_states),
    next_action: nullable(NextStep),
    return_url: nullable(Type.String({ maxLength: 2000 })),
    url: Type.String({ maxLength: 2048 }),
  },
  { title: 'PaymentPageState' },
)
export type PageState = Static<typeof PageState>

type Key = Pick<RequestRow, 'tenant_id' | 'id'>

export async function readState(deps: Deps, key: Key): Promise<PageState> {
  const next_action = await look(deps, key)
  const request = await findRequest(deps.kernel.db, key)
  if (!request) throw problem('payment_request_not_found')
  const { state } = request
  const waits = state === 'processing' ? next_action : null
  const return_url = await returnUrlOf(deps, request)
  return { state, next_action: waits, return_url, url: urlOf(request, deps) }
}

async function look(deps: Deps, { tenant_id, id }: Key): Promise<PageState['next_action']> {
  const { kernel } = deps
  const request = await findRequest(kernel.db, { tenant_id, id })
  if (request?.state !== 'processing' || request.intent_id === null) return null
  const key = { tenant_id, id: request.intent_id }
  const intent = await findIntent(kernel.db, key)
  if (intent?.state !== 'requires_action' || intent.provider_handle === null) return null
  const at = await atAccount(deps, intent.provider)
  if (!at) return null
  const many = kernel.settings['payments.page_looks_per_minute']
  await kernel.take(kernel.db, [{ name: 'payments.page_looks', of: id, many, per_seconds: 60 }])
  try {
    const snapshot = await at.provider.read(intent.provider_handle)
    const report = { snapshot, seen_version: intent.version }
    await kernel.db.tx(tx => applyProviderState(tx, deps, key, report))
    return stepOf(snapshot.next_action)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return null
  }
}
