/** Amounts as people write them: decimals of their currency. */

/** Amounts are in minor units of ISO 4217. For these, browsers show no decimals. */
const iso_digits = new Map([
  ...'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'
    .split(' ')
    .map(code => [code, 2] as const),
  ['IQD', 3] as const,
])

export function isCurrency(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z]{3}$/.test(text)
}

export function digitsOf(currency: string): number {
  const options = { style: 'currency', currency } as const
  const usual = new Intl.NumberFormat('en', options).resolvedOptions().maximumFractionDigits
  return iso_digits.get(currency) ?? usual ?? 2
}

/** The amount as a request has it: `24.95`. */
export function decimalOf(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  return (minor / 10 ** digits).toFixed(digits)
}

/**
 * What a person typed, as a request has it: also with a comma, and with the currency. Null if it may
 * mean several amounts, such as 1,234 in euros.
 */
export function typedAmount(text: string, currency: string): string | null {
  const digits = digitsOf(currency)
  const bare = text.replace(currency, '').replaceAll(/\s/g, '')
  const [, whole = '', part = ''] = /^(\d{1,13})(?:[.,](\d+))?$/.exec(bare) ?? []
  if (whole === '' || part.length > digits) return null
  return digits === 0 ? whole : `${whole}.${part.padEnd(digits, '0')}`
}

/** In minor units, without a rounding in between. */
export function typedMinor(text: string, currency: string): number | null {
  const amount = typedAmount(text, currency)
  return amount === null ? null : Number(amount.replace('.', ''))
}
