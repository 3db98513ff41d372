/** The page on which a payer approves an order, or goes back without it. */
import type { ServerResponse } from 'node:http'
import { approve } from './orders.ts'
import type { Vended } from './records.ts'

export function showApproval(vended: Vended, url: URL, method: string, response: ServerResponse) {
  const id = url.searchParams.get('token') ?? ''
  const order = vended.store.get('order', id)
  const { urls } = order ?? {}
  if (!order || !urls || order.status !== 'PAYER_ACTION_REQUIRED') {
    return page(response, 404, '<p>This payment cannot be approved any more.</p>')
  }
  const back = (to: string, more: Record<string, string>) => {
    const target = URL.parse(to)
    if (!target || !/^https?:$/.test(target.protocol)) return page(response, 200, '<p>Done.</p>')
    for (const [name, value] of Object.entries(more)) target.searchParams.set(name, value)
    response.writeHead(303, { location: target.href }).end()
  }
  const choice = url.pathname.split('/')[2]
  if (method === 'POST' && choice === 'approve') {
    approve(vended, id)
    return back(urls.return_url, { token: id, PayerID: 'QYR5Z8XDVJNXQ' })
  }
  if (method === 'POST' && choice === 'cancel') return back(urls.cancel_url, { token: id })
  const { value, currency_code } = order.unit.amount
  const form = (name: string, label: string) =>
    `<form method="post" action="/checkoutnow/${name}?token=${id}"><button>${label}</button></form>`
  page(
    response,
    200,
    `<h1>Pay ${value} ${currency_code}</h1>${form('approve', 'Pay now')}${form('cancel', 'Cancel and return')}`,
  )
}

function page(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Sandbox PayPal</title><main>${words}</main>`)
}
