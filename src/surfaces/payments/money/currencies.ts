/**
 * The unit in which Stripe counts each currency. Inside the platform, amounts are whole minor units of
 * ISO 4217. An amount that Stripe cannot express exactly is refused, never rounded.
 */
import { digitsOf } from '#dodeca/kernel'

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
  return safe(scaled / times)
}

/** For the provider's own books. There a fee may be a fraction of our smallest unit. */
export function nearestOfStripe(amount: number, currency: string): number {
  const [times, by] = ratio(currency)
  // Half a unit is rounded up, also of a negative amount.
  const doubled = 2n * BigInt(amount) * by + times
  const rest = ((doubled % (2n * times)) + 2n * times) % (2n * times)
  return safe((doubled - rest) / (2n * times))
}

function safe(amount: bigint): number {
  const number = Number(amount)
  if (!Number.isSafeInteger(number)) throw new Error(`the amount ${amount} is too large`)
  return number
}
