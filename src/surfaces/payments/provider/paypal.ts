/**
 * The provider port on PayPal's orders. Our payment is an order; its payer approves it at PayPal, and
 * then we authorize it. After each write the order is read, so that a snapshot is always one of the
 * whole order.
 */
import { toPayPal } from '../money/paypal-amounts.ts'
import type { Kernel } from '../settings.ts'
import { part, type Call, type PayPalClient } from './call-paypal.ts'
import type { PayPalLine } from './connect-paypal.ts'
import { openBooks } from './paypal-books.ts'
import type { Capture, Money, Order, Refund } from './paypal-objects.ts'
import {
  authorizationOf,
  bareOf,
  capturesOf,
  captureOf,
  isTaken,
  kindOf,
  orderOf,
  refundOf,
  snapshotOf,
} from './paypal-snapshots.ts'
import { gone, ProviderFailure, type PaymentProvider, type Snapshot } from './port.ts'
import { verifyPayPal } from './verify-paypal.ts'

const orders = '/v2/checkout/orders'
const payments = '/v2/payments'
export const method = 'paypal'
/** PayPal keeps keys for 6 hours. */
const resend_seconds = 5 * 3600
const books_late_seconds = 3 * 3600

export function openPayPal(
  { log, clock }: Pick<Kernel, 'log' | 'clock'>,
  line: PayPalLine,
): PaymentProvider {
  const realSeconds = () => Math.floor(clock.nowSeconds() - clock.offsetSeconds())
  const call: Call = async work => {
    try {
      return await work(await line.client())
    } catch (error) {
      if (error instanceof ProviderFailure && error.code === 'provider_unauthorized') {
        log.error({ err: error }, 'PayPal refuses our credentials')
      }
      throw error
    }
  }
  const readCapture = (paypal: PayPalClient, id: string) =>
    paypal.get<Capture>(`${payments}/captures/${part(id)}`)
  return {
    name: 'paypal',
    rules: {
      resend_seconds: { refund: resend_seconds, other: resend_seconds },
      books_late_seconds,
    },
    accepting: line.configured,
    browser: async () => {
      const publishable_key = await line.client_id()
      if (publishable_key === null) return null
      return {
        script_url: null,
        publishable_key,
        title: 'PayPal',
        methods: [{ method, timing: 'held' }],
        policy: { script: [], frame: [], connect: [], img: [] },
        page_script: null,
        amountOf: amount_minor => amount_minor,
      }
    },
    kindOf,
    verify: (message, now_seconds) => verifyPayPal(line, message, now_seconds),
    ...writes(call),
    read: handle => call(paypal => readSnapshot(paypal, handle)),
    readRefund: ref =>
      call(async paypal => {
        const refund = await paypal.get<Refund>(`${payments}/refunds/${part(bareOf(ref))}`)
        const capture = captureOf(refund)
        return refundOf(
          refund,
          capture === null ? null : orderOf(await readCapture(paypal, capture)),
        )
      }),
    refundsOf: handle =>
      call(async paypal => {
        const { purchase_units } = await readOrder(paypal, handle)
        const made = purchase_units.flatMap(one => one.payments?.refunds ?? [])
        return made.map(one => refundOf(one, handle))
      }),
    books: openBooks(call, realSeconds, readSnapshot),
  }
}

const readOrder = (paypal: PayPalClient, handle: string) =>
  paypal.get<Order>(`${orders}/${part(handle)}`)

/** PayPal forgets an order that was never finished after some hours. */
async function readSnapshot(paypal: PayPalClient, handle: string): Promise<Snapshot> {
  try {
    return snapshotOf(await readOrder(paypal, handle))
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !absent.includes(error.code)) throw error
    return { ...nothing, handle, cancellation_reason: gone }
  }
}

const absent: readonly string[] = ['invalid_resource_id', 'resource_not_found']
const nothing = {
  status: 'canceled',
  currency: '',
  amount_minor: 0,
  capturable_minor: 0,
  received_minor: 0,
  charge: null,
  last_error: null,
  next_action: null,
  intent_id: null,
  tenant_id: null,
  created_s: 0,
} as const

/** The write before has had its effect, so a read that fails leaves a doubt. */
async function readAfter<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const code = error instanceof ProviderFailure ? error.code : 'answer_unreadable'
    throw new ProviderFailure('doubt', code, { cause: error })
  }
}

function writes(call: Call) {
  return {
    createHandle: ({ intent_id, tenant_id, amount_minor, currency, key }) =>
      call(async paypal => {
        const unit = {
          custom_id: `${intent_id}/${tenant_id}`,
          amount: exact(amount_minor, currency),
        }
        const order = { intent: 'AUTHORIZE', purchase_units: [unit] }
        return snapshotOf(await paypal.post<Order>(orders, order, key))
      }),
    confirm: (handle, { payment_method, return_url }) =>
      call(async paypal => {
        if (payment_method !== method) {
          throw new ProviderFailure('refused', 'payment_method_invalid')
        }
        if (return_url === null) throw new ProviderFailure('refused', 'return_url_required')
        const experience_context = {
          return_url,
          cancel_url: return_url,
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
        }
        const payment_source = { paypal: { experience_context } }
        const path = `${orders}/${part(handle)}/confirm-payment-source`
        await paypal.post(path, { payment_source }, null)
        return await readAfter(() => readSnapshot(paypal, handle))
      }),
    finish: (handle, { key }) => call(paypal => finish(paypal, handle, key)),
    capture: (handle, { amount_minor, currency, key }) =>
      call(async paypal => {
        const held = authorizationOf(await readOrder(paypal, handle))
        if (!held) throw new ProviderFailure('unexpected_state', 'nothing_authorized')
        const path = `${payments}/authorizations/${part(held.id)}/capture`
        const body = { amount: exact(amount_minor, currency), final_capture: true }
        const { status } = await paypal.post<Capture>(path, body, key)
        if (status === 'DECLINED' || status === 'FAILED') {
          throw new ProviderFailure('refused', `capture_${status.toLowerCase()}`)
        }
        return await readAfter(() => readSnapshot(paypal, handle))
      }),
    cancel: (handle, { key }) => call(paypal => cancel(paypal, handle, key)),
    refund: ({ handle, amount_minor, currency, operation_id, key }) =>
      call(async paypal => {
        const capture = capturesOf(await readOrder(paypal, handle)).find(isTaken)
        if (!capture) throw new ProviderFailure('refused', 'nothing_captured')
        const path = `${payments}/captures/${part(capture.id)}/refund`
        const body = { amount: exact(amount_minor, currency), custom_id: operation_id }
        return refundOf(await paypal.post<Refund>(path, body, key), handle)
      }),
  } satisfies Partial<PaymentProvider>
}

/** Whatever PayPal refuses here, the payer may choose another way to pay. */
async function finish(paypal: PayPalClient, handle: string, key: string): Promise<Snapshot> {
  try {
    await paypal.post(`${orders}/${part(handle)}/authorize`, {}, key)
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind !== 'refused') throw error
    const snapshot = await readAfter(() => readSnapshot(paypal, handle))
    const last_error = { code: error.code, decline_code: error.code }
    const declined = { ...snapshot, status: 'requires_payment_method', last_error } as const
    throw new ProviderFailure('declined', error.code, { snapshot: declined, cause: error })
  }
  return await readAfter(() => readSnapshot(paypal, handle))
}

/** Only we finish an order. So one that was not finished is closed by our own decision. */
async function cancel(paypal: PayPalClient, handle: string, key: string): Promise<Snapshot> {
  const before = await readSnapshot(paypal, handle)
  if (before.status === 'canceled') return before
  if (before.status === 'succeeded') {
    throw new ProviderFailure('unexpected_state', 'previously_captured')
  }
  const held = before.charge?.id
  if (held === undefined || before.status === 'requires_payment_method') {
    return { ...before, status: 'canceled', capturable_minor: 0 }
  }
  await paypal.post(`${payments}/authorizations/${part(bareOf(held))}/void`, {}, key)
  return await readAfter(() => readSnapshot(paypal, handle))
}

/** An amount that PayPal cannot express exactly was refused when the payment was created. */
function exact(amount_minor: number, currency: string): Money {
  const value = toPayPal(amount_minor, currency)
  if (value === null) throw new ProviderFailure('refused', 'amount_not_representable')
  return { currency_code: currency, value }
}
