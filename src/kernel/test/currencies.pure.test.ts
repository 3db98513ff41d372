/** Amounts are read with the decimals of ISO 4217, whatever the language writes. */
import { expect, test } from 'vitest'
import { formatMoney } from '../currencies.ts'

test.each([
  [1999, 'EUR', 'en', '€19.99'],
  [199_900, 'HUF', 'en', 'HUF 1,999.00'],
  [12_340, 'KWD', 'en', 'KWD 12.340'],
  [1999, 'JPY', 'en', '¥1,999'],
  [1999, 'EUR', 'de', '19,99 €'],
])('%i %s in %s is %s', (minor, currency, locale, shown) => {
  expect(formatMoney(minor, currency, locale).replaceAll(/\s/g, ' ')).toBe(shown)
})
