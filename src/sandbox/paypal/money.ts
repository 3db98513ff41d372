/** Amounts as PayPal takes them: two decimals, and none for three currencies. */
import type { Money } from './records.ts'
import { issue } from './refusal.ts'

const whole = ['HUF', 'JPY', 'TWD']
const held =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'

export function readMoney(given: unknown): Money {
  const { currency_code = '', value = '' } = (given ?? {}) as Partial<Money>
  if (!held.split(' ').includes(currency_code)) throw issue('INVALID_CURRENCY_CODE')
  const pattern = whole.includes(currency_code) ? /^\d{1,10}$/ : /^\d{1,10}(\.\d{2})?$/
  if (!pattern.test(value)) throw issue('DECIMAL_PRECISION')
  if (Number(value) === 0) throw issue('CANNOT_BE_ZERO_OR_NEGATIVE')
  return { currency_code, value }
}

/** In hundredths, also of a currency that has none. */
export const centsOf = ({ value }: Money) => Math.round(Number(value) * 100)

export function moneyOf(cents: number, currency_code: string): Money {
  const digits = whole.includes(currency_code) ? 0 : 2
  return { currency_code, value: (cents / 100).toFixed(digits) }
}
