/**
 * The context of a handler in a transaction. Grants are read on its connection: if every request
 * held one connection and waited for a second, none could go on (20 cancellations of one
 * notification took 2 s, and some were refused as overloaded).
 */
import type { Tx } from '../../database/db.ts'
import type { AnyContext } from '../contract/route.ts'

export function withinTransaction(tx: Tx, context: AnyContext): AnyContext & { readonly tx: Tx } {
  return { ...context, tx, grants: () => context.grantsFrom(tx) }
}
