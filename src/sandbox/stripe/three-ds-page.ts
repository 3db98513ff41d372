/**
 * The bank's page in a 3-D Secure challenge. It has two buttons, and then leads back to the shop. In
 * a frame of the shop's page it says to that page that it is done.
 */
import type { ServerResponse } from 'node:http'
import { workIn, type Vended } from './vended.ts'
import { authenticate } from './payment-intents.ts'

/** Handles `GET /3ds/{payment_intent}`, and the forms on that page. */
export function showChallenge(vended: Vended, url: URL, method: string, response: ServerResponse) {
  const [, , id = '', outcome] = url.pathname.split('/')
  const framed = url.searchParams.has('framed')
  const intent = vended.store.get('payment_intent', id)
  if (!intent || intent.status !== 'requires_action') {
    return page(response, 404, 'No challenge is open for this payment.', framed)
  }
  if (method !== 'POST' || (outcome !== 'succeed' && outcome !== 'fail')) {
    const forms = ['succeed', 'fail'].map(
      one =>
        `<form method="post" action="/3ds/${id}/${one}${url.search}"><button>${one}</button></form>`,
    )
    return page(response, 200, `Pay ${intent.amount} ${intent.currency}? ${forms.join('')}`)
  }
  const { next_action } = intent
  const back =
    next_action?.type === 'redirect_to_url' ? next_action.redirect_to_url.return_url : null
  vended.store.change(change => authenticate(workIn(vended, change), id, outcome === 'succeed'))
  vended.deliveries.wake()
  if (back && /^https?:\/\//.test(back)) return response.writeHead(303, { location: back }).end()
  page(response, 200, 'Done. You can close this page.', framed, outcome)
}

function page(
  response: ServerResponse,
  status: number,
  words: string,
  tells = false,
  outcome = 'fail',
): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  const script = tells
    ? `<script>parent.postMessage({ challenge: '${outcome}' }, '*')</script>`
    : ''
  response.end(`<!doctype html><title>Sandbox bank</title><p>${words}</p>${script}`)
}
