/** Claims that nobody proved in time are forgotten; nothing was ever made on them. */
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'

const portion = 500

export async function forgetClaims({ kernel: { db } }: Pick<Deps, 'kernel'>): Promise<void> {
  await db.run(sql`
    -- any tenant: a sweep
    delete from links.domains where id in (
      select id from links.domains
      where state = 'pending_verification' and verification_expires_at <= kernel.now()
      limit ${portion})`)
}
