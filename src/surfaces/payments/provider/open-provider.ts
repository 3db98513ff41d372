/**
 * The provider of this deployment: Stripe, or that of the application. Every call passes the gate.
 * A call of an own provider ends in time, and what it throws without saying what happened leaves the
 * outcome in doubt.
 */
import type { Kernel } from '../settings.ts'
import { openGate } from './gate.ts'
import { ProviderFailure, type OpenProvider, type PaymentProvider } from './port.ts'
import { openStripe } from './stripe.ts'

export function openProvider(kernel: Kernel, own?: PaymentProvider): OpenProvider {
  const { settings } = kernel
  const gate = openGate({
    reads_per_second: settings['payments.provider_reads_per_second'],
    writes_per_second: settings['payments.provider_writes_per_second'],
    concurrency: settings['payments.provider_concurrency'],
    open_ms: settings['payments.breaker_open_ms'],
  })
  const timeout_ms = settings['payments.provider_timeout_ms']
  const provider = own ?? openStripe(kernel)
  const { accepting = () => true, books } = provider
  const within: Within = own ? call => inTime(call, timeout_ms) : call => call()
  const pass: Pass = (kind, call) => gate.pass(kind, () => within(call))
  return {
    ...provider,
    ...passing(provider, 'write', writes, pass),
    ...passing(provider, 'read', reads, pass),
    ...(books && {
      books: passing(books, 'read', Object.keys(books) as (keyof typeof books)[], pass),
    }),
    accepting: () => accepting() && !gate.open(),
    onRecovered: gate.onRecovered,
  }
}

const writes = ['createHandle', 'confirm', 'capture', 'cancel', 'refund'] as const
const reads = ['read', 'readRefund', 'refundsOf'] as const

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
