/**
 * The payment page of a request. Its signed address is the right to see the request and to pay it.
 * The page itself changes nothing, because scanners of mails follow links.
 */
import { Type } from 'typebox'
import { closed, reply, routesOf, text, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { method_refusals } from '../methods/choose-method.ts'
import { findSigned, grantOf, type RequestRow } from '../requests/request-row.ts'
import { Attempt } from '../schemas.ts'
import { vendorOf } from '../provider/account-key.ts'
import { accountsOf } from '../requests/accounts-of.ts'
import { returnUrlOf } from '../requests/owned-requests.ts'
import { attempt } from './attempt.ts'
import { PageState, readState } from './page-state.ts'
import { paymentPage, type Way } from './page.ts'
import { languageOf } from './words.ts'

const path = '/pay/{id}'
const Signed = closed({
  exp: Type.Optional(text(20)),
  kid: Type.Optional(text(64)),
  sig: Type.Optional(text(64)),
})
const unsigned = ['signed_url_invalid', 'signed_url_expired']
const facts = {
  permission: 'public',
  takes: 'signed_url',
  query: Signed,
  // Providers add members of their own where they send the payer back.
  foreign_query: true,
  transaction: 'own',
} as const

const { open, get, post } = routesOf<Deps>({
  absent: 'payment_request_not_found',
  added: true,
  tool: 'never',
})

export const pageRoutes = open({
  showPaymentPage: get(
    path,
    'The page on which a payment request is paid',
    {
      ...facts,
      description: 'The address is the `url` of the payment request.',
      head: true,
      produces: ['text/html'],
      reply: Type.String(),
      fails: unsigned,
    },
    async ({ db, params, query, request: { headers } }, deps) => {
      const request = await findFor(db, deps, params.id, query)
      const is_open = await deps.identity.isOpen(db, request.tenant_id)
      const ways: Way[] = []
      let keeps = false
      for (const { provider } of is_open ? await accountsOf(deps, request) : []) {
        const browser = await provider.browser?.()
        if (!browser) continue
        ways.push({ provider: vendorOf(provider.name), browser })
        keeps ||= request.customer_id !== null && provider.customers !== undefined
      }
      const shown = paymentPage({
        request,
        ways,
        keeps,
        query: signatureOf(query),
        merchant: await deps.identity.nameOf(db, request.tenant_id),
        look: await deps.identity.lookOf(db, { id: request.tenant_id }),
        return_url: await returnUrlOf(deps, request),
        language: languageOf(request.locale, headers['accept-language']),
      })
      return reply(200, shown.body, shown.headers)
    },
  ),

  getPaymentPageState: get(
    `${path}/state`,
    'The state of a payment request, for its payer',
    {
      ...facts,
      description:
        'If the bank wants the payer to authenticate, `next_action` has the URL, or the secret with which the script of the provider does it.',
      reply: PageState,
      fails: [...unsigned, 'rate_limited'],
    },
    async ({ db, params, query }, deps) =>
      await readState(deps, await findFor(db, deps, params.id, query)),
  ),

  attemptPayment: post(
    `${path}/attempts`,
    'Pay a payment request with a payment method from a browser',
    {
      ...facts,
      description:
        'A repeat with the same `attempt_id` and body never pays twice. If the outcome is not known yet, the reply is 202: read the state of the request. An attempt on a payment link makes a request for its buyer, whose address is the `url` of the reply.',
      idempotency: 'ignored',
      sends: ['location'],
      body: Attempt,
      inspectBody: refuseCardData,
      replies: { 200: PageState, 202: PageState },
      fails: [
        ...unsigned,
        'request_not_open',
        'operation_pending',
        'order_refused',
        'idempotency_key_reused',
        'provider_unsupported',
        ...method_refusals,
        'card_data_refused',
        'amount_too_large',
        'amount_not_representable',
        'payment_declined',
        'payment_method_invalid',
        'payment_account_closed',
        'payment_refused',
        'payment_provider_unavailable',
        'rate_limited',
      ],
    },
    async ({ db, params, query, body, request }, deps) => {
      const found = await findFor(db, deps, params.id, query)
      const state = await attempt(deps, found, body, request)
      const waits = state.state === 'processing' && state.next_action === null
      if (!waits) return reply(200, state)
      const { pathname, search } = new URL(state.url)
      return reply(202, state, { location: `${pathname}/state${search}` })
    },
  ),
})

type Query = { readonly exp?: string; readonly kid?: string; readonly sig?: string }

async function findFor(
  db: Reader,
  { kernel }: Deps,
  id: string,
  query: Query,
): Promise<RequestRow> {
  const found = await findSigned(db, id)
  if (!found) throw problem('payment_request_not_found')
  const verdict = kernel.signedUrls.verify(grantOf(id), query, kernel.clock.nowSeconds())
  if (verdict !== 'ok') throw problem(verdict)
  return found
}

/** Without what a provider has added. */
function signatureOf({ exp = '', kid = '', sig = '' }: Query): string {
  return `?${new URLSearchParams({ exp, kid, sig })}`
}
