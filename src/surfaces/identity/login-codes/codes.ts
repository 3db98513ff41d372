/**
 * Mailed login codes. The code of eight digits and the token of the link are derived from the id of
 * the request when they are mailed or compared, so a stolen table has neither. A guess is counted
 * before it is compared. Only the browser or program that asked knows the id. So neither the mail
 * alone nor the id alone logs anybody in.
 */
import { timingSafeEqual } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Id, nullable, sql, type Db, type Keyring, type Tx } from '#dodeca/kernel'
import { attempts_max, hashOf } from '../one-time.ts'
import { Bytes } from '../schemas.ts'

export const Code = Type.String({ pattern: '^[0-9]{8}$', minLength: 8, maxLength: 8 })

const use = 'identity.login_code'
const digits = 8

const Details = Type.Object({
  email_scope: Id,
  email_normalized: Type.String(),
  email: Type.String(),
  /** The tenant that the request named; null if it named none. */
  named: nullable(Type.String()),
  locale: nullable(Type.String()),
})
export type Details = Static<typeof Details>

const OpenCode = Type.Object({
  tenant_id: Id,
  ref: Id,
  key_id: Type.String(),
  id_hash: Bytes,
  details: Details,
})
export type OpenCode = Static<typeof OpenCode>

/** Returns null if the key is no longer in the keyring. */
export function codeOf(keys: Pick<Keyring, 'macWith'>, kid: string, id: string): string | null {
  const mac = keys.macWith(kid, use, Buffer.from(id))
  return mac && String(mac.readUIntBE(0, 6) % 10 ** digits).padStart(digits, '0')
}

/** The request while its code is open. */
export function findCode(db: Pick<Db, 'maybe'>, id: string): Promise<OpenCode | undefined> {
  return db.maybe(
    OpenCode,
    sql`
      select tenant_id, ref, key_id, id_hash, details from identity.one_time_challenges
      where ${isOpen(id)} and attempts < ${attempts_max}`,
  )
}

/** Returns false if no guess is left. Concurrent guesses together get no more than five. */
export async function countGuess(db: Pick<Db, 'run'>, id: string): Promise<boolean> {
  const counted = await db.run(sql`
    update identity.one_time_challenges set attempts = attempts + 1
    where ${isOpen(id)} and attempts < ${attempts_max}`)
  return counted === 1
}

export function isRight(
  keys: Pick<Keyring, 'macWith'>,
  { ref, key_id, id_hash }: OpenCode,
  { code, token }: { readonly code?: string | undefined; readonly token?: string | undefined },
): boolean {
  if (token !== undefined) return timingSafeEqual(hashOf(token), id_hash)
  const right = codeOf(keys, key_id, ref)
  return right !== null && timingSafeEqual(hashOf(right), hashOf(code ?? ''))
}

/** The guess that uses the code up was counted before, and may have been the last one. */
export async function useCode(tx: Tx, id: string): Promise<boolean> {
  const used = await tx.run(sql`
    update identity.one_time_challenges set consumed_at = kernel.now() where ${isOpen(id)}`)
  return used === 1
}

function isOpen(id: string) {
  return sql`purpose = 'login_code' and ref = ${id} and consumed_at is null
    and expires_at > kernel.now()`
}
