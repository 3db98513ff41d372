/** The password of whoever is logged in, asked for again; guesses count like those of a login. */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Bytes } from '../schemas.ts'

const Credential = Type.Object({ password_hash: Bytes })

export async function provePassword(
  { kernel, hasher, throttle }: Pick<Deps, 'kernel' | 'hasher' | 'throttle'>,
  account_id: string,
  password: string,
): Promise<void> {
  const { settings, db } = kernel
  const mine = throttle.about(
    'login',
    account_id,
    settings['identity.login_account_burst'],
    settings['identity.login_account_interval_seconds'],
  )
  const attempt = await throttle.take([{ ...mine, waits: true }])
  try {
    const credential = await db.maybe(
      Credential,
      sql`select password_hash from identity.credentials where account_id = ${account_id}`,
    )
    const owner = { table: 'identity.credentials', id: account_id } as const
    const encoded = credential ? hasher.open(credential.password_hash, owner) : null
    if (!(await hasher.verify(password, encoded))) {
      attempt.keep()
      throw problem('invalid_credentials')
    }
  } finally {
    await attempt.giveBack()
  }
}
