/**
 * The platform's own accounts: at the providers of its settings, with the provider of the application
 * in the place of Stripe. Every call to an
 * account passes the gate of the account. A call of an own provider ends in time, and what it throws
 * without saying what happened leaves the outcome in doubt.
 */
import { platform_tenant } from '../deps.ts'
import type { Kernel } from '../settings.ts'
import { connectStripe } from './connect-stripe.ts'
import { connectPayPal } from './connect-paypal.ts'
import { openGate } from './gate.ts'
import { openPayPal } from './paypal.ts'
import {
  ProviderFailure,
  type OpenProvider,
  type PaymentProvider,
  type ProviderRules,
} from './port.ts'
import { openStripe } from './stripe.ts'

/** Stripe forgets keys after 24 hours. Captures and cancellations are read first, and happen only once. */
const usual_rules: ProviderRules = {
  resend_seconds: { refund: 23 * 3600, other: Number.POSITIVE_INFINITY },
  books_late_seconds: 0,
}

/** At least one. The first one is that of a new payment. */
export function openPlatform(
  kernel: Kernel,
  own?: PaymentProvider,
): [OpenProvider, ...OpenProvider[]] {
  const named = kernel.settings['payments.providers']
  const [first = 'stripe', ...rest] = named
  const open = (name: string) =>
    name === 'paypal' ? openPayPalAccount(kernel) : openProvider(kernel, own)
  return [open(first), ...rest.map(open)]
}

function openPayPalAccount(kernel: Kernel): OpenProvider {
  const provider = openPayPal(kernel, connectPayPal(kernel))
  return behindGate(kernel, { ...provider, owner_id: platform_tenant })
}

function openProvider(kernel: Kernel, own?: PaymentProvider): OpenProvider {
  const timeout_ms = kernel.settings['payments.provider_timeout_ms']
  const within: Within = own ? call => inTime(call, timeout_ms) : call => call()
  const provider = own ?? openStripe(kernel, connectStripe(kernel))
  if (provider.name.includes(':')) throw new Error(`a provider cannot be named ${provider.name}`)
  return behindGate(kernel, { ...provider, owner_id: platform_tenant }, within)
}

/** Each account has a gate of its own, so that no account waits for another. */
export function behindGate(
  { settings }: Kernel,
  provider: PaymentProvider & Pick<OpenProvider, 'owner_id' | 'account'>,
  within: Within = call => call(),
): OpenProvider {
  const gate = openGate({
    reads_per_second: settings['payments.provider_reads_per_second'],
    writes_per_second: settings['payments.provider_writes_per_second'],
    concurrency: settings['payments.provider_concurrency'],
    open_ms: settings['payments.breaker_open_ms'],
  })
  const { accepting = () => true, books, customers, finish, rules = usual_rules } = provider
  const pass: Pass = (kind, call) => gate.pass(kind, () => within(call))
  return {
    ...provider,
    rules,
    ...passing(provider, 'write', writes, pass),
    ...passing(provider, 'read', reads, pass),
    ...(customers && {
      customers: passing(customers, 'write', namesOf(customers), pass),
    }),
    ...(finish && passing({ finish }, 'write', ['finish'], pass)),
    ...(books && {
      books: passing(books, 'read', namesOf(books), pass),
    }),
    accepting: () => accepting() && !gate.open(),
    onRecovered: gate.onRecovered,
  }
}

const writes = ['createHandle', 'confirm', 'capture', 'cancel', 'refund'] as const
const reads = ['read', 'readRefund', 'refundsOf'] as const

const namesOf = <T extends object>(calls: T) => Object.keys(calls) as (keyof T)[]

type Within = <T>(call: () => Promise<T>) => Promise<T>
type Pass = <T>(kind: 'read' | 'write', call: () => Promise<T>) => Promise<T>
type Call = (...given: readonly unknown[]) => Promise<unknown>

/** These functions of it, each behind the gate. */
function passing<T extends object, K extends keyof T>(
  calls: T,
  kind: 'read' | 'write',
  names: readonly K[],
  pass: Pass,
): Pick<T, K> {
  const made = names.map(name => {
    const call: Call = (...given) => pass(kind, () => (calls[name] as Call)(...given))
    return [name, call]
  })
  return Object.fromEntries(made) as Pick<T, K>
}

async function inTime<T>(call: () => Promise<T>, timeout_ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new ProviderFailure('doubt', 'provider_timeout')),
    timeout_ms,
  )
  try {
    return await Promise.race([call(), late.promise])
  } catch (error) {
    if (error instanceof ProviderFailure) throw error
    throw new ProviderFailure('doubt', 'provider_failed', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
