/** A request to this Stripe, and the reply to it. */
import type { ServerResponse } from 'node:http'
import type { Form } from './form.ts'

export type Reply = { readonly status: number; readonly body: unknown; readonly replayed?: boolean }
export type Asked = {
  readonly method: string
  readonly path: string
  readonly raw: string
  readonly form: Form
  readonly key: string | null
  readonly id: string
}

export function send(response: ServerResponse, { status, body, replayed }: Reply): void {
  if (response.destroyed) return
  if (replayed) response.setHeader('idempotent-replayed', 'true')
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
