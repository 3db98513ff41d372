/** After a rotation of the keyring, secrets are sealed again under the current key, a portion at a time. */
import { type Static, Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { Bytes } from '../schemas.ts'

const portion = 500
const Sealed = Type.Object({ id: Id, version: Type.Integer(), sealed: Bytes })

type ResealDeps = { readonly kernel: Pick<Deps['kernel'], 'db'> } & Pick<Deps, 'secrets'>

export async function resealSecrets(deps: ResealDeps, signal: AbortSignal): Promise<void> {
  await resealCurrent(deps, signal)
  await resealPrevious(deps)
}

async function resealCurrent(
  { kernel: { db }, secrets }: ResealDeps,
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

/** They live for days, and there are few; a sender that cannot open one could send nothing. */
async function resealPrevious({ kernel: { db }, secrets }: ResealDeps): Promise<void> {
  const rows = await db.many(
    Sealed,
    sql`
      -- any tenant: a sweep
      select subscription_id as id, secret_version as version, secret_ciphertext as sealed
      from webhooks.previous_secrets where valid_until > kernel.now()`,
  )
  for (const { id, version, sealed } of rows) {
    const fresh = secrets.reseal(id, version, sealed)
    if (!fresh) continue
    await db.run(sql`
      -- any tenant: a sweep
      update webhooks.previous_secrets set secret_ciphertext = ${fresh}
      where subscription_id = ${id} and secret_version = ${version}
        and secret_ciphertext = ${sealed}`)
  }
}
