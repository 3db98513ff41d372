/**
 * Currencies of ISO 4217 with their number of decimals. Amounts are whole minor units of ISO. `Intl`
 * has other decimals for some of them, such as none for HUF, so it must not decide how an amount is
 * read.
 */
const two_digits =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW'
const no_digits = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'
const three_digits = 'BHD IQD JOD KWD LYD OMR TND'

const digits: ReadonlyMap<string, number> = new Map(
  [[two_digits, 2] as const, [no_digits, 0] as const, [three_digits, 3] as const].flatMap(
    ([codes, count]) => codes.split(' ').map(code => [code, count] as const),
  ),
)

export function digitsOf(currency: string): number | undefined {
  return digits.get(currency)
}

/** 1999 and EUR are €19.99. */
export function formatMoney(minor: number, currency: string, locale: string): string {
  const decimals = digitsOf(currency)
  const shown =
    decimals === undefined
      ? {}
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...shown })
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
