/**
 * PayPal's amounts: decimal text. It has no decimals for the forint, the yen and the Taiwan dollar.
 * An amount that PayPal cannot express exactly is refused, never rounded.
 */
import { digitsOf } from '#dodeca/kernel'

const whole: readonly string[] = ['HUF', 'JPY', 'TWD']
/** The currencies that PayPal holds. */
const held =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
    ' ',
  )

/** Null if PayPal cannot express it. */
export function toPayPal(amount_minor: number, currency: string): string | null {
  if (!held.includes(currency)) return null
  const decimals = whole.includes(currency) ? 0 : (digitsOf(currency) ?? 0)
  const unit = stepOfPayPal(currency)
  if (amount_minor % unit !== 0) return null
  const text = String(amount_minor / unit).padStart(decimals + 1, '0')
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
}

/** The amount in our minor units of which PayPal takes only multiples. */
export function stepOfPayPal(currency: string): number {
  return whole.includes(currency) ? 10 ** (digitsOf(currency) ?? 0) : 1
}

export function fromPayPal(value: string, currency: string): number {
  const [, sign, before = '', after = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(value) ?? []
  const digits = digitsOf(currency) ?? 0
  const rest = after.slice(digits)
  const minor = Number(before + after.slice(0, digits).padEnd(digits, '0'))
  if (before === '' || !/^0*$/.test(rest) || !Number.isSafeInteger(minor)) {
    throw new Error(`${value} ${currency} is no amount`)
  }
  return sign === '-' && minor !== 0 ? -minor : minor
}
