/**
 * Requests that are paid on our page as orders of another surface, which takes the payment itself and
 * captures it when it ships. The surface moves them in the commits that move its orders.
 */
import { Problem, sql } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { errors, problem } from '../errors.ts'
import type { OwnedRequests } from '../face.ts'
import { closeRequest } from './close-request.ts'
import { createRequest } from './create-request.ts'
import { announceEnd } from './follow-payment.ts'
import { announceRequest, findRequest, requestColumns, RequestRow, viewOf } from './request-row.ts'

export function ownedRequests(deps: Deps): OwnedRequests {
  return {
    plug: owner => {
      deps.owner.of = owner
    },
    canPay: async tenant_id => {
      for (const { key } of await deps.providers.offered(deps.kernel.db, tenant_id)) {
        const at = await atAccount(deps, key)
        if ((await at?.provider.browser?.()) != null) return true
      }
      return false
    },
    create: async (tx, { tenant_id, lines, ...given }) =>
      viewOf(await createRequest(tx, deps, given, tenant_id, { lines }), deps),
    find: async (reader, key) => {
      const row = await findRequest(reader, key)
      return row && viewOf(row, deps)
    },
    begin: async (tx, { tenant_id, id }) => {
      const begun = await tx.run(sql`
        update payments.payment_requests t set state = 'processing', version = version + 1
        where t.tenant_id = ${tenant_id} and t.id = ${id} and t.lines is not null
          and t.state = 'open' and t.expires_at > kernel.now()`)
      return begun > 0
    },
    follow,
    cancel: async (tx, key) => void (await closeRequest(tx, deps, key, 'cancelled')),
  }
}

const follow: OwnedRequests['follow'] = async (tx, { tenant_id, id }, to, intent_id) => {
  const paid = to === 'paid'
  const row = await tx.maybe(
    RequestRow,
    sql`
      update payments.payment_requests t
      set state = ${to === 'open' ? sql`coalesce(closing, 'open')` : sql`${to}`},
        intent_id = ${intent_id}, version = version + 1
        ${paid ? sql`, closing = null, used = 1, paid = 1, due_at = null` : sql.empty}
        ${to === 'open' ? sql`, closing = null` : sql.empty}
      where t.tenant_id = ${tenant_id} and t.id = ${id} and t.lines is not null
        and t.state = 'processing'
      returning ${requestColumns}`,
  )
  if (!row) return
  if (paid) announceRequest(tx, row, 'paid')
  else await announceEnd(tx, row)
}

/** Pays the order of the request at the account of `deps`, or continues this attempt. */
export async function attemptOwned(
  { owner, kernel, provider }: Deps,
  request: RequestRow,
  given: { readonly attempt_id: string; readonly payment_method: string },
  ip: string,
): Promise<void> {
  if (!owner.of) throw problem('request_not_open')
  const { tenant_id, id } = request
  const { url } = viewOf(request, { kernel })
  try {
    await owner.of.attempt({ tenant_id, id, url }, given, { ip, account: provider.name })
  } catch (error) {
    if (!(error instanceof Problem) || error.code in errors || error.status !== 409) throw error
    // Codes of the other surface, which may be absent, are no part of this route.
    const { detail } = error.details
    throw problem('order_refused', {
      ...(detail === undefined ? {} : { detail }),
      more: { reason: error.code },
    })
  }
}

export async function returnUrlOf(
  { owner, kernel }: Deps,
  { tenant_id, id, lines, state, return_url }: RequestRow,
): Promise<string | null> {
  if (lines === null || state !== 'paid' || return_url !== null) return return_url
  return (await owner.of?.pageOf(kernel.db, { tenant_id, id })) ?? null
}
