/**
 * Sets the state of expired links and emits their events. The redirect checks the expiry time
 * itself, so it does not depend on the state.
 */
import { Type } from 'typebox'
import { Id, sql, Version } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announce } from './announce.ts'

const portion = 200
const Expired = Type.Object({
  tenant_id: Id,
  domain_id: Id,
  code: Type.String(),
  id: Id,
  version: Version,
})

export async function expireLinks(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const expired = await db.tx(async tx => {
      const rows = await tx.many(
        Expired,
        sql`
          -- any tenant: a sweep
          update links.links
          set state = 'expired', version = version + 1, updated_at = kernel.now()
          where (domain_id, code) in (
            select domain_id, code from links.links
            where state in ('active', 'pending_scan') and expires_at <= kernel.now()
            limit ${portion}
            for no key update skip locked)
          returning tenant_id, domain_id, code, id, version`,
      )
      for (const row of rows) announce(tx, row, row.version, [{ type: 'link.expired' }])
      return rows.length
    })
    if (expired < portion || signal.aborted) return
  }
}
