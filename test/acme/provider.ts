/** Acme as the payment provider: it accepts every request, and says the result by webhook. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ProviderFailure, paymentProvider, setting } from 'dodeca'
import type { KernelOf, PaymentSnapshot, RefundSnapshot } from 'dodeca'
import { openOutsideWorld, openUpstream, type Upstream } from 'dodeca/kernel'

type Payment = {
  readonly id: string
  readonly reference: string
  readonly tenant: string
  readonly amount: number
  readonly currency: string
  readonly status: keyof typeof statuses
  readonly captured: number
  readonly decline_code: string | null
  readonly created: number
}
type Refund = {
  readonly id: string
  readonly payment: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly status: 'pending' | 'succeeded'
  readonly created: number
}

const statuses = {
  new: 'requires_payment_method',
  declined: 'requires_payment_method',
  processing: 'processing',
  authorized: 'requires_capture',
  captured: 'succeeded',
  cancelled: 'canceled',
} as const

// prettier-ignore
const settings = {
  'acme.url': setting.address('Address of Acme'),
  'acme.api_key': setting.secret('Key of Acme; in development without one the double is used'),
  'acme.webhook_secret': setting.secret('Secret with which Acme signs webhooks'),
}

export const acme = paymentProvider({
  settings,
  sandbox: new URL('./sandbox.ts', import.meta.url),
  open: kernel => {
    const line = connect(kernel)
    const write = async (path: string, key: string, body: object = {}) =>
      snapshotOf(await line.ask<Payment>('POST', path, key, body))
    const at = (handle: string) => `/payments/${encodeURIComponent(handle)}`
    return {
      name: 'acme',
      createHandle: ({ intent_id, tenant_id, amount_minor, currency, key }) => {
        const order = { reference: intent_id, tenant: tenant_id, amount: amount_minor, currency }
        return write('/payments', key, order)
      },
      confirm: async (handle, { payment_method, key }) => {
        const snapshot = await write(`${at(handle)}/confirm`, key, { method: payment_method })
        const declined = snapshot.last_error?.code
        if (declined !== undefined) throw new ProviderFailure('declined', declined, { snapshot })
        return snapshot
      },
      capture: (handle, { amount_minor, key }) =>
        write(`${at(handle)}/capture`, key, { amount: amount_minor }),
      cancel: (handle, { key }) => write(`${at(handle)}/cancel`, key),
      refund: async ({ handle, amount_minor, operation_id, key }) => {
        const order = { payment: handle, amount: amount_minor, reference: operation_id }
        return refundOf(await line.ask<Refund>('POST', '/refunds', key, order))
      },
      read: async handle => snapshotOf(await line.ask<Payment>('GET', at(handle))),
      readRefund: async id =>
        refundOf(await line.ask<Refund>('GET', `/refunds/${encodeURIComponent(id)}`)),
      refundsOf: async handle =>
        (await line.ask<Refund[]>('GET', `${at(handle)}/refunds`)).map(refundOf),
      kindOf: id => (({ pay: 'payment', ref: 'refund' }) as const)[id.slice(0, 3)] ?? null,
      verify: async ({ raw, headers }) => {
        const { webhook_secret } = await line.known()
        const wanted = createHmac('sha256', webhook_secret).update(raw).digest('hex')
        if (!isSame(String(headers['acme-signature']), wanted)) {
          return { refused: 'signature_invalid' }
        }
        const { id, object, created } = JSON.parse(raw.toString()) as Record<string, unknown>
        if (typeof id !== 'string' || typeof object !== 'string') {
          return { refused: 'envelope_invalid' }
        }
        const event = { event_id: id, type: 'changed', object_ref: object }
        return { events: [{ ...event, created_s: Number(created) }] }
      },
    }
  },
})

type Line = { readonly api: string; readonly key: string; readonly webhook_secret: string }

/** To Acme with a key, or to its double in development. */
function connect({ settings: given, data_dir, public_url }: KernelOf<typeof settings>) {
  const { 'acme.url': api, 'acme.api_key': key, 'acme.webhook_secret': webhook_secret } = given
  const double = openOutsideWorld(data_dir)
  let introduced: Promise<Line> | undefined
  let upstream: Upstream | undefined
  const introduce = async (): Promise<Line> => {
    const found = (await double.addresses())?.['acme'] as Line | undefined
    if (!found) throw new ProviderFailure('not_sent', 'acme_not_configured')
    const body = { webhook_url: `${public_url}/v1/providers/acme/webhooks` }
    await double.ask({ vendor: 'acme', method: 'POST', path: 'config', body })
    return found
  }
  const known = async (): Promise<Line> => {
    if (api && key && webhook_secret) return { api, key, webhook_secret }
    introduced ??= introduce().catch((error: unknown) => {
      introduced = undefined
      throw error
    })
    return await introduced
  }
  return {
    known,
    ask: async <T>(method: string, path: string, once?: string, body?: object): Promise<T> => {
      const line = await known()
      upstream ??= openUpstream({ name: 'acme', base_url: line.api, retries: 0 })
      const reply = await upstream.call({
        method,
        path,
        headers: { authorization: `Bearer ${line.key}`, 'content-type': 'application/json' },
        ...(once !== undefined && { operation_id: once, body: JSON.stringify(body) }),
        idempotent: true,
        deadline_ms: 4000,
      })
      if (reply.status === 409) throw new ProviderFailure('unexpected_state', 'payment_state')
      if (reply.status === 404) throw new ProviderFailure('refused', 'not_found')
      if (reply.status >= 300) throw new ProviderFailure('doubt', `http_${reply.status}`)
      return JSON.parse(reply.body.toString()) as T
    },
  }
}

function snapshotOf(payment: Payment): PaymentSnapshot {
  const { id, reference, tenant, amount, status, captured, decline_code: code } = payment
  return {
    handle: id,
    status: statuses[status],
    currency: payment.currency,
    amount_minor: amount,
    capturable_minor: status === 'authorized' ? amount : 0,
    received_minor: captured,
    charge: null,
    last_error: code === null ? null : { code, decline_code: null },
    cancellation_reason: null,
    next_action: null,
    intent_id: reference,
    tenant_id: tenant,
    created_s: payment.created,
  }
}

function refundOf(refund: Refund): RefundSnapshot {
  return {
    id: refund.id,
    handle: refund.payment,
    operation_id: refund.reference,
    amount_minor: refund.amount,
    currency: refund.currency,
    status: refund.status,
    failure_code: null,
    booked_ref: null,
    failure_booked_ref: null,
    created_s: refund.created,
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
