/** Ids in Stripe's format. */
import { newId } from '#dodeca/kernel'

/**
 * An id in Stripe's format. The prefix gives the kind of object. The rest is unique and ordered by
 * time. It is letters alone: the digits of one UUID in thousands look like the number of a card.
 */
export function stripeId(prefix: string): string {
  const letters = newId()
    .replaceAll('-', '')
    .replaceAll(/./g, digit => String.fromCharCode(97 + Number.parseInt(digit, 16)))
  return `${prefix}_${letters}`
}
