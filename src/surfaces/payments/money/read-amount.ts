/**
 * Reads the amount of a request: whole minor units, or an exact decimal text. It never uses binary
 * fractions.
 */
import { refuseMember } from '../errors.ts'
import { digitsOf, formatMoney } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { vendorOf } from '../provider/account-key.ts'
import { stepOf, toStripe } from './currencies.ts'
import { stepOfPayPal, toPayPal } from './paypal-amounts.ts'

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

/** What it cannot express is refused before the account of a payment is known. */
const usual = 'stripe'

/** `about` is a pointer to what the amount was calculated from, if the caller did not give it. */
export function readAmount(
  given: GivenAmount,
  { accepted, max_minor }: AmountRules,
  about?: string,
): number {
  const { currency, amount, amount_minor } = given
  const digits = digitsOf(currency)
  if (digits === undefined || (accepted.length > 0 && !accepted.includes(currency))) {
    const which =
      accepted.length > 0 ? `Accepted: ${accepted.join(', ')}.` : 'Use an ISO 4217 code.'
    const detail = `${currency} is not accepted. ${which}`
    throw refuseMember('currency_unknown', about ?? '/currency', detail)
  }
  const pointer = about ?? pointerOf(given)
  if ((amount === undefined) === (amount_minor === undefined)) {
    throw refuseMember('amount_ambiguous', pointer)
  }
  const minor = amount === undefined ? (amount_minor ?? 0) : minorOf(amount, currency, digits)
  if (minor < 1) throw refuseMember('amount_too_small', pointer)
  if (minor > max_minor) {
    throw refuseMember(
      'amount_too_large',
      pointer,
      `At most ${formatMoney(max_minor, currency, 'en')}.`,
    )
  }
  requireTaken(usual, minor, currency, pointer)
  return minor
}

function pointerOf({ amount }: { readonly amount?: string | undefined }): string {
  return amount === undefined ? '/amount_minor' : '/amount'
}

/** Whether the provider of an account can express the amount exactly. */
export function canTake(account: string, minor: number, currency: string): boolean {
  const expressed = vendorOf(account) === 'paypal' ? toPayPal : toStripe
  return expressed(minor, currency) !== null
}

/** The amount of which the provider of an account takes only multiples. */
export function stepAt(account: string, currency: string): number {
  return vendorOf(account) === 'paypal' ? stepOfPayPal(currency) : stepOf(currency)
}

export function requireTaken(
  account: string,
  minor: number,
  currency: string,
  pointer = '/amount_minor',
): void {
  if (canTake(account, minor, currency)) return
  const detail = `The provider does not take this amount of ${currency}. Round the amount, or pay in another way.`
  throw refuseMember('amount_not_representable', pointer, detail)
}

export const partRefusals = [
  'amount_ambiguous',
  'amount_precision',
  'amount_too_small',
  'amount_not_representable',
] as const

/** Reads the amount of a capture or a refund. Without an amount it is all that is left. */
export function readPart(
  given: GivenPart,
  { currency, provider }: { readonly currency: string; readonly provider: string },
  left: number,
): number {
  const { amount, amount_minor } = given
  const pointer = pointerOf(given)
  if (amount !== undefined && amount_minor !== null) throw refuseMember('amount_ambiguous', pointer)
  const minor =
    amount === undefined
      ? (amount_minor ?? left)
      : minorOf(amount, currency, digitsOf(currency) ?? 0)
  if (amount !== undefined && minor < 1) throw refuseMember('amount_too_small', pointer)
  requireTaken(provider, minor, currency, pointer)
  return minor
}

function minorOf(amount: string, currency: string, digits: number): number {
  const [whole = '0', fraction = ''] = amount.split('.')
  if (fraction.length > digits) {
    const detail = `${currency} has ${digits} decimals, but the amount has ${fraction.length}.`
    throw refuseMember('amount_precision', '/amount', detail)
  }
  const minor = BigInt(whole + fraction.padEnd(digits, '0'))
  // Every amount above the limit is refused as too large.
  return minor > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(minor)
}
