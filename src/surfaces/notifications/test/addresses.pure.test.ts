/** Phone numbers as Google's rules read them, compared with another implementation of these rules. */
import { createRequire } from 'node:module'
import { parsePhoneNumberFromString, getCountryCallingCode } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { parsePhone } from '../addresses.ts'

type Country = Parameters<typeof getCountryCallingCode>[0]
const examples = createRequire(import.meta.url)('libphonenumber-js/examples.mobile.json') as Record<
  Country,
  string
>
const numbers = Object.entries(examples).map(
  ([country, national]) => `+${getCountryCallingCode(country as Country)}${national}`,
)

test('a mobile number of every country has the same form and the same country', () => {
  expect(numbers.length).toBeGreaterThan(200)
  for (const given of numbers) {
    const { number, country } = parsePhoneNumberFromString(given) ?? {}
    expect(parsePhone(given), given).toMatchObject({ address: number, country: country ?? '' })
  }
})

test.each([
  ['+49 (0)151 123-45678', '+4915112345678', 'DE'],
  ['tel:+1-213-373-4253', '+12133734253', 'US'],
  ['+1 213 373 4253 ext. 5', '+12133734253', 'US'],
  ['+１２１３３７３４２５３', '+12133734253', 'US'],
  ['+800 1234 5678', '+80012345678', ''],
])('%s is %s', (given, address, country) => {
  expect(parsePhone(given)).toMatchObject({ address, normalized: address, country })
})

test.each(['', '+', '0151 12345678', '+49', '+18932766', '+999123456789', `+1${'2'.repeat(300)}`])(
  '%s is no number with a country code',
  given => expect(parsePhone(given)).toBeNull(),
)
