/**
 * After a rotation of the keyring what lies sealed is sealed again under the current key, a portion at a
 * time and while it is in use, so that the old key can be taken out of the ring. Whatever was changed or
 * removed between reading and writing is left as it is: it was sealed by the current key.
 */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql, type Sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'
import type { Owner, PasswordHasher } from '../passwords/hash.ts'
import { Bytes } from '../schemas.ts'
import { resealSigningKey } from './signing-keys.ts'

const portion = 500
const Sealed = Type.Object({ id: Type.String(), sealed: Bytes })
type Sealed = Static<typeof Sealed>

type Needs = Pick<Kernel, 'db' | 'keys'> & {
  readonly hasher: Pick<PasswordHasher, 'seal' | 'open'>
}

type Store = {
  /** In the order of their ids, those after the given one. */
  read(after: string | null): Sql
  renewed(row: Sealed): Buffer
  replace(row: Sealed, fresh: Buffer): Sql
}

/** Answers how many were sealed anew. */
export async function resealCredentials(needs: Needs, signal?: AbortSignal): Promise<number> {
  // With one key in the ring nothing can lie under another.
  if (needs.keys.kids.length === 1) return 0
  let renewed = 0
  for (const store of [passwords(needs), registrations(needs), signingKeys(needs)]) {
    renewed += await resealStore(needs, store, signal)
  }
  return renewed
}

async function resealStore({ db, keys }: Needs, store: Store, signal?: AbortSignal) {
  let renewed = 0
  for (let after: string | null = null; !signal?.aborted;) {
    const rows: Sealed[] = await readPortion(db, store, after)
    for (const row of rows) {
      if (keys.sealedWith(row.sealed) === keys.kids[0]) continue
      renewed += await db.run(store.replace(row, store.renewed(row)))
    }
    after = rows.at(-1)?.id ?? null
    if (rows.length < portion) break
  }
  return renewed
}

function readPortion(db: Reader, store: Store, after: string | null): Promise<Sealed[]> {
  return db.many(Sealed, store.read(after))
}

function anew({ hasher }: Needs, table: Owner['table'], { id, sealed }: Sealed): Buffer {
  return hasher.seal(hasher.open(sealed, { table, id }), { table, id })
}

function passwords(needs: Needs): Store {
  return {
    read: after => sql`
      select account_id as id, password_hash as sealed from identity.credentials
      where (${after}::uuid is null or account_id > ${after}::uuid)
      order by account_id limit ${portion}`,
    renewed: row => anew(needs, 'identity.credentials', row),
    replace: ({ id, sealed }, fresh) => sql`
      update identity.credentials set password_hash = ${fresh}
      where account_id = ${id} and password_hash = ${sealed}`,
  }
}

/** Only those that may still become an account. */
function registrations(needs: Needs): Store {
  return {
    read: after => sql`
      select id, password_hash as sealed from identity.registrations
      where state = 'pending' and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${portion}`,
    renewed: row => anew(needs, 'identity.registrations', row),
    replace: ({ id, sealed }, fresh) => sql`
      update identity.registrations set password_hash = ${fresh}
      where id = ${id} and password_hash = ${sealed}`,
  }
}

function signingKeys({ keys }: Needs): Store {
  return {
    read: after => sql`
      select kid as id, private_key as sealed from identity.signing_keys
      where state in ('next', 'active', 'retired') and (${after}::text is null or kid > ${after}::text)
      order by kid limit ${portion}`,
    renewed: ({ id, sealed }) => resealSigningKey(keys, id, sealed),
    replace: ({ id, sealed }, fresh) => sql`
      update identity.signing_keys set private_key = ${fresh}
      where kid = ${id} and private_key = ${sealed}`,
  }
}
