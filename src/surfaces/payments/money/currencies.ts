/**
 * Currencies of ISO 4217 with their number of decimals, and the unit in which Stripe counts each of
 * them. Inside the platform, amounts are whole minor units of ISO. An amount that Stripe cannot
 * express exactly is refused, never rounded.
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

/** The number of Stripe's units in one of our units, as a fraction. */
function ratio(currency: string): readonly [times: bigint, by: bigint] {
  // Currencies without decimals in ISO but with two at Stripe, and the reverse.
  if (currency === 'ISK' || currency === 'UGX') return [100n, 1n]
  if (currency === 'MGA') return [1n, 100n]
  return [1n, 1n]
}

/** Returns the amount in Stripe's unit, or null if Stripe cannot express it exactly. */
export function toStripe(amount_minor: number, currency: string): number | null {
  const [times, by] = ratio(currency)
  if (BigInt(amount_minor) % BigInt(stepOf(currency)) !== 0n) return null
  const amount = Number((BigInt(amount_minor) * times) / by)
  return Number.isSafeInteger(amount) ? amount : null
}

/** The amount in our minor units of which Stripe takes only multiples. */
export function stepOf(currency: string): number {
  if (currency === 'MGA') return 100
  // Stripe accepts currencies with three decimals only in steps of ten.
  return digitsOf(currency) === 3 ? 10 : 1
}

export function fromStripe(amount: number, currency: string): number {
  const [times, by] = ratio(currency.toUpperCase())
  const scaled = BigInt(amount) * by
  if (scaled % times !== 0n) throw new Error(`${amount} ${currency} is no whole amount`)
  return Number(scaled / times)
}

/** For the provider's own books. There a fee may be a fraction of our smallest unit. */
export function nearestOfStripe(amount: number, currency: string): number {
  const [times, by] = ratio(currency)
  return Math.round((amount * Number(by)) / Number(times))
}
