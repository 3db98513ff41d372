/** Ids in Stripe's format. */
import { newId } from '#dodeca/kernel'

/**
 * An id in Stripe's format. The prefix gives the kind of object. The rest is unique and ordered by
 * time.
 */
export function stripeId(prefix: string): string {
  return `${prefix}_${newId().replaceAll('-', '')}`
}
