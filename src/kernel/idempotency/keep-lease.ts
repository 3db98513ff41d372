/**
 * Renews the lease of a running operation three times within its length. So a call may last longer
 * than the lease while its process lives.
 */
import type { Db } from '../database/db.ts'
import { renewLease, type KeyedScope } from './records.ts'

export type KeptLease = {
  /** Aborted when another attempt has taken the operation over. */
  readonly lost: AbortSignal
  end(): void
}

export function keepLease(
  db: Db,
  scope: KeyedScope,
  lease: { readonly lease_token: string; readonly lease_seconds: number },
): KeptLease {
  const lost = new AbortController()
  const renew = async () => {
    if ((await db.run(renewLease(scope, lease))) === 0) lost.abort()
  }
  // If one renewal fails, nothing happens: two more follow before the lease ends.
  const timer = setInterval(() => void renew().catch(() => {}), (lease.lease_seconds * 1000) / 3)
  timer.unref()
  return { lost: lost.signal, end: () => clearInterval(timer) }
}
