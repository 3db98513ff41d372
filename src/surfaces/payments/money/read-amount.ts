/**
 * Reads the amount of a request: whole minor units, or an exact decimal text. It never uses binary
 * fractions.
 */
import { problem } from '../errors.ts'
import { digitsOf } from '../../../kernel/currencies.ts'
import type { Kernel } from '../settings.ts'
import { toStripe } from './currencies.ts'

export type GivenAmount = {
  readonly amount_minor?: number
  readonly amount?: string
  readonly currency: string
}

/** A part of a payment, whose currency is known. */
export type GivenPart = {
  readonly amount_minor: number | null
  readonly amount?: string | undefined
}

export type AmountRules = { readonly accepted: readonly string[]; readonly max_minor: number }

export function amountRules(settings: Kernel['settings']): AmountRules {
  return {
    accepted: settings['payments.settlement_currencies'],
    max_minor: settings['payments.amount_max_minor'],
  }
}

export function readAmount(given: GivenAmount, { accepted, max_minor }: AmountRules): number {
  const { currency, amount, amount_minor } = given
  const digits = digitsOf(currency)
  if (digits === undefined || (accepted.length > 0 && !accepted.includes(currency))) {
    const which =
      accepted.length > 0 ? `Accepted: ${accepted.join(', ')}.` : 'Use an ISO 4217 code.'
    throw problem('currency_unknown', { detail: `${currency} is not accepted. ${which}` })
  }
  if ((amount === undefined) === (amount_minor === undefined)) throw problem('amount_ambiguous')
  const minor = amount === undefined ? (amount_minor ?? 0) : minorOf(amount, currency, digits)
  if (minor < 1) throw problem('amount_too_small')
  if (minor > max_minor) {
    throw problem('amount_too_large', { detail: `At most ${max_minor} minor units.` })
  }
  if (toStripe(minor, currency) === null) {
    throw problem('amount_not_representable', {
      detail: `The provider takes ${currency} only in larger steps. Round the amount.`,
    })
  }
  return minor
}

export const partRefusals = ['amount_ambiguous', 'amount_precision', 'amount_too_small'] as const

/** Reads the amount of a capture or a refund. Without an amount it is null: all that is left. */
export function readPart({ amount, amount_minor }: GivenPart, currency: string): number | null {
  if (amount === undefined) return amount_minor
  if (amount_minor !== null) throw problem('amount_ambiguous')
  const minor = minorOf(amount, currency, digitsOf(currency) ?? 0)
  if (minor < 1) throw problem('amount_too_small')
  return minor
}

function minorOf(amount: string, currency: string, digits: number): number {
  const [whole = '0', fraction = ''] = amount.split('.')
  if (fraction.length > digits) {
    throw problem('amount_precision', {
      detail: `${currency} has ${digits} decimals, but the amount has ${fraction.length}.`,
    })
  }
  const minor = BigInt(whole + fraction.padEnd(digits, '0'))
  // Every amount above the limit is refused as too large.
  return minor > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(minor)
}
