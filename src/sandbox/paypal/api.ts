/**
 * PayPal's API: a token for each account, JSON, and a `PayPal-Request-Id` that repeats the first reply
 * for six hours. Every change is in the journal before its reply.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newSecret } from '#dodeca/kernel'
import { reply } from './faults.ts'
import {
  authorizeOrder,
  confirmOrder,
  createOrder,
  readOrder,
  type Made,
  type Route,
} from './orders.ts'
import { captureAuthorization, readPayment, refundCapture, voidAuthorization } from './payments.ts'
import { listEvents, listTransactions, showBalances } from './reports.ts'
import type { Vended } from './records.ts'
import { missing, Refused } from './refusal.ts'

const keys_kept_ms = 6 * 3_600_000
const token_seconds = 32_400

const routes: readonly (readonly [to: string, method: string, path: RegExp, run: Route])[] = [
  ['create', 'POST', /^\/v2\/checkout\/orders$/, createOrder],
  ['confirm', 'POST', /^\/v2\/checkout\/orders\/(\w+)\/confirm-payment-source$/, confirmOrder],
  ['authorize', 'POST', /^\/v2\/checkout\/orders\/(\w+)\/authorize$/, authorizeOrder],
  ['read', 'GET', /^\/v2\/checkout\/orders\/(\w+)$/, readOrder],
  ['capture', 'POST', /^\/v2\/payments\/authorizations\/(\w+)\/capture$/, captureAuthorization],
  ['void', 'POST', /^\/v2\/payments\/authorizations\/(\w+)\/void$/, voidAuthorization],
  ['read', 'GET', /^\/v2\/payments\/authorizations\/(\w+)$/, readPayment('authorization')],
  ['refund', 'POST', /^\/v2\/payments\/captures\/(\w+)\/refund$/, refundCapture],
  ['read', 'GET', /^\/v2\/payments\/captures\/(\w+)$/, readPayment('capture')],
  ['read', 'GET', /^\/v2\/payments\/refunds\/(\w+)$/, readPayment('refund')],
]
type List = (vended: Vended, account: string, query: URLSearchParams) => Made
const lists: readonly (readonly [to: string, path: string, run: List])[] = [
  ['report', '/v1/reporting/transactions', listTransactions],
  ['balances', '/v1/reporting/balances', showBalances],
  ['events', '/v1/notifications/webhooks-events', listEvents],
]

export function openApi(vended: Vended) {
  const { tokens } = vended
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    let text = ''
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString()
    const { method = 'GET', headers } = request
    const struck = (account: string, to: string) => vended.faults.take({ provider: account, to })
    if (url.pathname === '/v1/oauth2/token') {
      const account = accountOf(vended, headers.authorization)
      const made = tryTo(() => giveToken(tokens, account))
      return await reply(struck(account ?? '', 'token'), response, () => made)
    }
    const account = tokens.get((headers.authorization ?? '').replace(/^Bearer /, ''))
    const key = headers['paypal-request-id']
    const asked = { url, method, text, key: typeof key === 'string' ? key : null }
    const { to, run } = findRoute(vended, account, asked)
    const rule = account === undefined ? undefined : struck(account, to)
    await reply(rule, response, lie => tryTo(() => run(lie)))
    vended.wake()
  }
}

function tryTo(work: () => Made): Made {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, body: error.body }
    return { status: 400, body: { name: 'INVALID_REQUEST', message: String(error) } }
  }
}

function accountOf({ store }: Vended, authorization = ''): string | undefined {
  const given = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
  return store.all('account').find(one => `${one.client_id}:${one.client_secret}` === given)
    ?.account_id
}

function giveToken(tokens: Map<string, string>, account: string | undefined): Made {
  if (account === undefined) throw new Refused(401, 'invalid_client')
  const access_token = `A21AA${newSecret(24)}`
  tokens.set(access_token, account)
  return {
    status: 200,
    body: { access_token, token_type: 'Bearer', expires_in: token_seconds, scope: '' },
  }
}

type Request = { url: URL; method: string; text: string; key: string | null }
type Found = { readonly to: string; run(lie: string | undefined): Made }

function findRoute(vended: Vended, account: string | undefined, asked: Request): Found {
  const { url, method, text, key } = asked
  if (account === undefined)
    return { to: '', run: fail(new Refused(401, 'AUTHENTICATION_FAILURE')) }
  const list = lists.find(([, path]) => method === 'GET' && path === url.pathname)
  if (list) return { to: list[0], run: () => list[2](vended, account, url.searchParams) }
  for (const [to, verb, path, route] of routes) {
    const [, id = ''] = path.exec(url.pathname) ?? []
    if (verb !== method || !path.test(url.pathname)) continue
    return {
      to,
      run: lie => {
        const body = JSON.parse(text || '{}') as Record<string, unknown>
        const work = () =>
          vended.store.change(change => route(vended, change, { account, id, body, key, lie }))
        return key === null ? work() : once(vended, `${account} ${key}`, work)
      },
    }
  }
  return { to: '', run: fail(missing()) }
}

const fail = (refusal: Refused) => (): Made => {
  throw refusal
}

/** A repeated key gets the first reply. What was refused without effect has none. */
function once({ store, clock }: Vended, key: string, work: () => Made): Made {
  const known = store.get('key', key)
  const now_ms = clock.nowMs()
  if (known && now_ms - known.at_ms < keys_kept_ms) return known
  const made = work()
  if (made.status < 300) store.change(change => change.put('key', key, { at_ms: now_ms, ...made }))
  return made
}
