/**
 * Begins an attempt to pay a request, in one commit. Rows are locked in the order of everything that
 * moves a payment: its operations, the payment, the request. So a request has one live payment: an
 * attempt beside one that waits for its payer first closes that one, and waits for any other. The
 * operation is also the record of the attempt: its id and body name one attempt for ever.
 */
import { newId, orderPrint, sql, type Tx } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { beginAuthorize } from '../intents/begin-authorize.ts'
import { beginCancel } from '../intents/begin-cancel.ts'
import { createIntent } from '../intents/create-intent.ts'
import { findByKey } from '../operations/begin-operation.ts'
import { lockIntent, lockOpenOperations, type IntentRow } from '../operations/rows.ts'
import { findRequest, requestColumns, RequestRow, urlOf } from '../requests/request-row.ts'
import type { Attempt } from '../schemas.ts'

export type Given = Static<typeof Attempt>

export type Step =
  | { readonly kind: 'known' | 'begun'; readonly request_id: string; readonly operation_id: string }
  /** Closes the payment that waits for its payer. Then begin again. */
  | { readonly kind: 'closes'; readonly operation_id: string | null }
  /** Another attempt came first. */
  | { readonly kind: 'again' }

/** At the account of `deps`. `seen` was read without a lock: a request, but no link. */
export async function beginAttempt(
  tx: Tx,
  deps: Deps,
  seen: RequestRow,
  given: Given,
): Promise<Step> {
  const { tenant_id, id } = seen
  const payment = { tenant_id, id: seen.intent_id ?? '' }
  const open = seen.intent_id === null ? [] : await lockOpenOperations(tx, payment)
  const intent = seen.intent_id === null ? undefined : await lockIntent(tx, payment)
  const request = await lockRequest(tx, seen)
  if (request.intent_id !== seen.intent_id) return { kind: 'again' }
  const key = {
    value: given.attempt_id,
    fingerprint: orderPrint('attempt', { ...given, tenant_id }),
  }
  const known = await findByKey(tx, tenant_id, id, 'authorize', key)
  if (known) return { kind: 'known', request_id: id, operation_id: known.id }
  if (open.some(one => one.state !== 'requires_action') || intent?.state === 'authorized') {
    throw problem('operation_pending', { detail: 'A payment of this request is under way.' })
  }
  await requireOpen(tx, deps, request, intent)
  const amount_minor = amountOf(request, given)
  if (intent && !canPay(deps, intent, amount_minor)) return await close(tx, deps, intent)
  const intent_id = intent?.id ?? (await createPayment(tx, deps, request, amount_minor))
  await tx.run(sql`
    update payments.payment_requests
    set state = 'processing', intent_id = ${intent_id}, version = version + 1
    where tenant_id = ${tenant_id} and id = ${id}`)
  await noteEmail(tx, request, given)
  const operation_id = newId()
  await beginAuthorize(tx, deps, {
    operation_id,
    tenant_id,
    intent_id,
    payment_method: given.payment_method,
    save: given.save,
    on_page: true,
    return_url: urlOf(request, deps),
    // The request stands for its payer: its declines are counted, and its keys are its attempts.
    principal_id: id,
    key,
    managed: true,
  })
  return { kind: 'begun', request_id: id, operation_id }
}

function lockRequest(tx: Tx, { tenant_id, id }: Pick<RequestRow, 'tenant_id' | 'id'>) {
  return tx.one(
    RequestRow,
    sql`
      select ${requestColumns} from payments.payment_requests t
      where t.tenant_id = ${tenant_id} and t.id = ${id} for update of t`,
  )
}

async function requireOpen(
  tx: Tx,
  { identity }: Deps,
  request: RequestRow,
  intent: IntentRow | undefined,
): Promise<void> {
  const { tenant_id, state, late, closing, link_id } = request
  const waits = state === 'processing' && intent?.state === 'requires_action' && closing === null
  const link = link_id === null ? undefined : await findRequest(tx, { tenant_id, id: link_id })
  const ended = late || link?.state === 'cancelled' || !(await identity.isOpen(tx, tenant_id))
  if (ended || !(state === 'open' || waits)) {
    throw problem('request_not_open', { current_state: late ? 'expired' : state })
  }
}

export function amountOf(
  { amount_minor: asked }: RequestRow,
  { amount_minor: given }: Given,
): number {
  const constraint = asked === null ? 'required' : 'const'
  if (asked === null ? given === undefined : given !== undefined && given !== asked) {
    throw problem('validation_failed', {
      errors: [{ location: 'body', pointer: '/amount_minor', constraint }],
    })
  }
  return asked ?? given ?? 0
}

/** What a payer approved and the provider then refused is not approved again. */
function canPay({ provider }: Deps, intent: IntentRow, wanted: number): boolean {
  const { state, amount_minor } = intent
  const used = provider.finish !== undefined && intent.last_error !== null
  const same = intent.provider === provider.name && amount_minor === wanted
  return state === 'requires_authorization' && same && !used
}

async function close(tx: Tx, deps: Deps, { tenant_id, id }: IntentRow): Promise<Step> {
  const operation_id = newId()
  const asked = { operation_id, tenant_id, intent_id: id, principal_id: null, key: null }
  const sends = await beginCancel(tx, deps, { ...asked, reason: 'requested', managed: true })
  return { kind: 'closes', operation_id: sends ? operation_id : null }
}

async function createPayment(tx: Tx, deps: Deps, request: RequestRow, amount_minor: number) {
  const { tenant_id, id: request_id, currency, order_ref, customer_id } = request
  const given = {
    amount_minor,
    currency,
    at: deps.provider.name,
    ...(order_ref === null ? {} : { order_ref }),
    ...(customer_id === null ? {} : { customer_id }),
  }
  const maker = { tenant_id, principal_id: null, key: null, managed: true, request_id }
  return (await createIntent(tx, deps, given, maker)).id
}

async function noteEmail(tx: Tx, { tenant_id, id }: RequestRow, { email }: Given): Promise<void> {
  if (email === undefined) return
  await tx.run(sql`
    insert into payments.request_payers (tenant_id, request_id, email)
    values (${tenant_id}, ${id}, ${email})
    on conflict (tenant_id, request_id) do update set email = excluded.email`)
}

/**
 * The request of one buyer of a link: of this attempt, or a new one that takes a use of the link.
 * The use is free again if the buyer has not paid in time. Undefined if the same attempt came first:
 * payments are locked before links, so the lock of the link must not be kept for its request.
 */
export async function openUse(
  tx: Tx,
  { kernel, identity }: Deps,
  { tenant_id, id: link_id }: RequestRow,
  { attempt_id }: Given,
): Promise<RequestRow | undefined> {
  const which = { tenant_id, link_id, attempt_id }
  const known = await findUse(tx, which)
  if (known) return known
  const link = await lockRequest(tx, { tenant_id, id: link_id })
  if (await findUse(tx, which)) return undefined
  const { state, late, uses, used, currency, description, order_ref, return_url } = link
  const full = uses !== null && used >= uses
  if (state !== 'open' || late || full || !(await identity.isOpen(tx, tenant_id))) {
    throw problem('request_not_open', { current_state: state })
  }
  await tx.run(sql`
    update payments.payment_requests set used = used + 1, version = version + 1
    where tenant_id = ${tenant_id} and id = ${link_id}`)
  const until = sql`kernel.now() + make_interval(secs => ${kernel.settings['payments.link_seconds']})`
  return await tx.one(
    RequestRow,
    sql`
      insert into payments.payment_requests as t (
        tenant_id, id, link_id, attempt_id, amount_minor, currency, description, order_ref,
        return_url, account, uses, expires_at, due_at)
      values (
        ${tenant_id}, ${newId()}, ${link_id}, ${attempt_id}, ${link.amount_minor}, ${currency},
        ${description}, ${order_ref}, ${return_url}, ${link.account}, 1, ${until}, ${until})
      returning ${requestColumns}`,
  )
}

type Use = { readonly tenant_id: string; readonly link_id: string; readonly attempt_id: string }

function findUse(tx: Tx, { tenant_id, link_id, attempt_id }: Use) {
  return tx.maybe(
    RequestRow,
    sql`
      select ${requestColumns} from payments.payment_requests t
      where t.tenant_id = ${tenant_id} and t.link_id = ${link_id}
        and t.attempt_id = ${attempt_id}`,
  )
}
