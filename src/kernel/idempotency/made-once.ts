/**
 * Makes the thing that has an id of the caller, or finds the one that the same order made before. So
 * an order that is repeated, also at the same time, has one effect.
 */
import { violates } from '../database/failures.ts'
import type { Tx } from '../database/db.ts'
import { problem } from '../errors/problem.ts'
import { fingerprint } from './fingerprint.ts'

/** The order as the fingerprint of a request. The order of its members does not matter. */
export function orderPrint(
  operation: string,
  order: Readonly<Record<string, unknown>> & { readonly tenant_id: string },
): Buffer {
  const { tenant_id } = order
  return fingerprint({ tenant_id, operation, params: {}, query: {}, media_type: '', body: order })
}

type Once = {
  readonly fingerprint: Buffer
  /** The fingerprint of the thing that has the id in this tenant. */
  find(tx: Tx): Promise<{ readonly fingerprint: Buffer | null } | undefined>
  make(tx: Tx): Promise<unknown>
  /** Those that a second thing with the id violates. */
  readonly constraints: readonly string[]
}

/** Returns whether it was there before. Another order with the id is refused. */
export async function madeOnce(tx: Tx, once: Once): Promise<{ readonly existing: boolean }> {
  if (await isThere(tx, once)) return { existing: true }
  try {
    await tx.savepoint(once.make)
    return { existing: false }
  } catch (error) {
    if (!once.constraints.some(name => violates(error, name))) throw error
    if (await isThere(tx, once)) return { existing: true }
    throw problem('idempotency_key_reused', {}, { cause: error })
  }
}

async function isThere(tx: Tx, { find, fingerprint: print }: Once): Promise<boolean> {
  const known = await find(tx)
  if (known && known.fingerprint?.equals(print) !== true) throw problem('idempotency_key_reused')
  return known !== undefined
}
