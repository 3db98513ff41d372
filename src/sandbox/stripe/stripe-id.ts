/** Ids as Stripe writes them. */
import { newId } from '../../kernel/ids.ts'

/** An id as Stripe writes them: its prefix says what it is; the rest is unique and ordered by time. */
export function stripeId(prefix: string): string {
  return `${prefix}_${newId().replaceAll('-', '')}`
}
