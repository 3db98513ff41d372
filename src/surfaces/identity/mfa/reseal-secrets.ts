/**
 * After a rotation of the keyring the secrets of second factors are sealed again under the current key,
 * a portion at a time and while they are in use, so that the old key can be taken out of the ring.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import { Bytes } from '../schemas.ts'
import { openTotpSecret, sealTotpSecret } from './methods/totp.ts'

const portion = 500
const Sealed = Type.Object({ id: Id, sealed: Bytes })

type Needs = Pick<Kernel, 'db' | 'keys'>

export async function resealSecrets(needs: Needs, signal?: AbortSignal): Promise<void> {
  let after: string | null = null
  do after = await resealPortion(needs, after)
  while (after !== null && !signal?.aborted)
}

/** Answers where the next portion begins, or null at the end. */
async function resealPortion({ db, keys }: Needs, after: string | null): Promise<string | null> {
  const rows = await db.many(
    Sealed,
    sql`
      select id, encrypted_secret_or_public_key as sealed from identity.mfa_methods
      where type = 'totp' and encrypted_secret_or_public_key is not null
        and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${portion}`,
  )
  for (const { id, sealed } of rows) {
    if (keys.sealedWith(sealed) === keys.kids[0]) continue
    const fresh = sealTotpSecret(keys, id, openTotpSecret(keys, id, sealed))
    // One that was used or removed meanwhile is left as it is.
    await db.run(sql`
      update identity.mfa_methods set encrypted_secret_or_public_key = ${fresh}
      where id = ${id} and encrypted_secret_or_public_key = ${sealed}`)
  }
  return rows.length < portion ? null : (rows.at(-1)?.id ?? null)
}
