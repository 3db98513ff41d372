/** After a rotation of the keyring, secrets are sealed again under the current key, a portion at a time. */
import { type Static, Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { Bytes } from '../schemas.ts'

const portion = 500
const Sealed = Type.Object({ id: Id, version: Type.Integer(), sealed: Bytes })

export async function resealSecrets(
  { kernel: { db }, secrets }: Deps,
  signal: AbortSignal,
): Promise<void> {
  for (let after: string | null = null; !signal.aborted;) {
    const last: string | null = after
    const rows: Static<typeof Sealed>[] = await db.many(
      Sealed,
      sql`
        -- any tenant: a sweep
        select id, secret_version as version, secret_ciphertext as sealed
        from webhooks.subscriptions
        where ${last}::uuid is null or id > ${last}::uuid
        order by id limit ${portion}`,
    )
    for (const { id, version, sealed } of rows) {
      const fresh = secrets.reseal(id, version, sealed)
      if (!fresh) continue
      // One that was rotated meanwhile is left as it is.
      await db.run(sql`
        -- any tenant: a sweep
        update webhooks.subscriptions set secret_ciphertext = ${fresh}
        where id = ${id} and secret_ciphertext = ${sealed}`)
    }
    if (rows.length < portion) return
    after = rows.at(-1)?.id ?? null
  }
}
