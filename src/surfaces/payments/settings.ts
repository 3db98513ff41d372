/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { faultsIn, setting } from '#dodeca/kernel'
import type { Deployment, KernelOf, SettingTable } from '#dodeca/kernel'

/** High enough that there is no limit in practice. */
export const overdraft_max = 2 ** 40

// prettier-ignore
export const settings = {
  'payments.providers': setting.list('Payment providers of the platform: stripe, paypal; the first is that of a new payment; none: stripe'),
  'payments.stripe_secret_key': setting.secret('Secret key of Stripe; in development without one the sandbox is used'),
  'payments.stripe_publishable_key': setting.optional('Publishable key of Stripe (pk_…), with which pages make payment methods; without it there are no payment pages'),
  'payments.stripe_webhook_secrets': setting.secrets('Live signing secrets of the webhook endpoint at Stripe, several while one is rotated'),
  'payments.stripe_base_url': setting.address('Address of the Stripe API, where it is not https://api.stripe.com'),
  'payments.paypal_client_id': setting.optional('Client id of the app at PayPal; in development without one the sandbox is used'),
  'payments.paypal_secret': setting.secret('Secret of the app at PayPal'),
  'payments.paypal_webhook_id': setting.optional('Id of the webhook of the app at PayPal, which is part of each signature'),
  'payments.paypal_base_url': setting.address('Address of the PayPal API, where it is not https://api-m.paypal.com, such as https://api-m.sandbox.paypal.com'),
  'payments.tenant_accounts_max': setting.count(10, 'accounts', 'Own payment accounts of a tenant', 0, 1000),
  'payments.provider_timeout_ms': setting.count(4000, 'ms', 'Longest wait for one answer of the payment provider', 100, 120_000),
  'payments.provider_reads_per_second': setting.count(80, 'requests/s', 'Reads that one process sends to the payment provider', 1, 1e6),
  'payments.provider_writes_per_second': setting.count(80, 'requests/s', 'Writes that one process sends to the payment provider', 1, 1e6),
  'payments.provider_concurrency': setting.count(32, 'requests', 'Requests to the payment provider under way in one process', 1, 10_000),
  'payments.breaker_open_ms': setting.count(10_000, 'ms', 'How long the provider is left alone once half of 20 calls failed', 10, 600_000),
  'payments.fence_after_seconds': setting.count(600, 's', 'How long an authorization may be in doubt before it is cancelled for certain', 1, 86_400),
  'payments.resolve_first_seconds': setting.count(2, 's', 'Wait before the first look at an operation in doubt; it grows to an hour', 0.01, 3600),
  'payments.resolve_max_hours': setting.count(72, 'hours', 'How long an operation in doubt is looked at before an operator must decide', 1, 2400),
  'payments.event_catchup_seconds': setting.count(300, 's', 'How often the events of the provider are listed, in case a webhook was lost', 1, 86_400),
  'payments.reconcile_seconds': setting.count(3600, 's', 'How often the books are compared with those of the provider', 10, 7 * 86_400),
  'payments.reconcile_window_days': setting.count(3, 'days', 'How far back a regular reconciliation compares payments', 1, 90),
  'payments.fee_payer': { ...setting.text('Who bears the fees of the provider: merchant or platform', 'merchant'), oneOf: ['merchant', 'platform'] },
  'payments.settlement_currencies': setting.list('Currencies that are accepted; none: all. The provider account must settle each in itself'),
  'payments.amount_max_minor': setting.count(99_999_999, 'minor units', 'Largest amount of a payment', 1, 99_999_999),
  'payments.overdraft_minor': setting.count(overdraft_max, 'minor units', 'How far below zero a refund may take the balance of a merchant', 0, overdraft_max),
  'payments.declines_per_hour': setting.count(10, 'declines/h', 'Declined authorizations of one principal in an hour', 1, 1e6),
  'payments.page_declines_per_hour': setting.count(20, 'declines/h', 'Declined payments on payment pages from one network in an hour', 1, 1e6),
  'payments.page_looks_per_minute': setting.count(60, 'requests/min', 'How often the page of one request asks the provider about its payment in a minute', 1, 1e6),
  'payments.requests_most': setting.count(10_000, 'payment requests', 'Open payment requests of one tenant', 1, 1e6),
  'payments.request_days': setting.count(30, 'days', 'How long a payment request is open if it does not say when it expires', 1, 365),
  'payments.link_seconds': setting.count(3600, 's', 'How long a payment that a buyer began on a payment link keeps its use of the link', 60, 86_400),
  'payments.payer_days': setting.count(400, 'days', 'How long the mail address that a payer typed is kept', 1, 3650),
  'payments.customers_most': setting.count(1_000_000, 'customers', 'Customers of one tenant', 1, 1e6),
  'payments.customers_kept_days': setting.count(30, 'days', 'How long deleted customers and detached payment methods are kept', 1, 3650),
  'payments.webhook_max_bytes': setting.count(256 * 1024, 'bytes', 'Largest webhook of a payment provider', 1024, 2 ** 22),
  'payments.events_retention_days': setting.count(400, 'days', 'How long ids of provider events are kept, so that a repetition is recognized', 30, 3650),
} as const satisfies SettingTable

export const stripe_address = 'https://api.stripe.com'
export const paypal_address = 'https://api-m.paypal.com'
const providers: readonly string[] = ['stripe', 'paypal']

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/**
 * Combinations that cannot work: a live key must never be sent to another host than Stripe's own.
 */
export function settingFaults(given: Kernel['settings'], { profile }: Deployment): string[] {
  const key = given['payments.stripe_secret_key']
  const live = key?.startsWith('sk_live_') ?? false
  const base_url = given['payments.stripe_base_url'] ?? stripe_address
  const paypal = given['payments.paypal_client_id']
  const named = given['payments.providers']
  return faultsIn([
    [
      named.some(one => !providers.includes(one)) || new Set(named).size < named.length,
      `PAYMENTS_PROVIDERS must name each provider once: ${providers.join(', ')}.`,
    ],
    [
      paypal !== null && given['payments.paypal_secret'] === null,
      'PAYMENTS_PAYPAL_SECRET is missing: set it to the secret of the app whose client id is PAYMENTS_PAYPAL_CLIENT_ID.',
    ],
    [
      profile === 'production' && paypal !== null && given['payments.paypal_webhook_id'] === null,
      'PAYMENTS_PAYPAL_WEBHOOK_ID is missing: set it to the id of the webhook of the app at PayPal.',
    ],
    [
      profile === 'production' &&
        key !== null &&
        given['payments.stripe_webhook_secrets'].length === 0,
      'PAYMENTS_STRIPE_WEBHOOK_SECRETS is missing: set it to the signing secret (whsec_…) of the webhook endpoint at Stripe.',
    ],
    [
      live && URL.parse(base_url)?.origin !== stripe_address,
      `PAYMENTS_STRIPE_BASE_URL must be ${stripe_address} where PAYMENTS_STRIPE_SECRET_KEY is a live key. Unset it, or use a test key.`,
    ],
  ])
}
