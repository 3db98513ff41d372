/**
 * Codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds, one step of clock drift).
 * The secret is sealed in its row. Each time step is accepted once: compare-and-set claims the
 * newest matching step. So a repeated code is refused, and so is an earlier step that has the same
 * code.
 */
import { timingSafeEqual } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'
import { newSecret, sql, type Keyring, type SealedColumn, type Tx } from '#dodeca/kernel'

const form = { algorithm: 'SHA1', digits: 6 } as const
const period_seconds = 30
const secret_bytes = 20
const use = 'identity.mfa_secret'

type Keys = Pick<Keyring, 'seal' | 'open'>

const placeOf = (id: string) =>
  ({ table: 'identity.mfa_methods', id, column: 'encrypted_secret_or_public_key' }) as const

export function newTotpSecret(): Buffer {
  return Buffer.from(newSecret(secret_bytes), 'base64url')
}

export function sealTotpSecret(keys: Keys, method_id: string, secret: Buffer): Buffer {
  return keys.seal(use, secret, placeOf(method_id))
}

export function openTotpSecret(keys: Keys, method_id: string, sealed: Buffer): Buffer {
  return keys.open(use, sealed, placeOf(method_id))
}

/** The URI that an app reads from a QR code, and the secret that a person can type instead. */
export function enrolment(secret: Buffer, issuer: string, label: string) {
  const totp = new TOTP({
    ...form,
    period: period_seconds,
    issuer,
    label,
    secret: secretOf(secret),
  })
  return { secret: totp.secret.base32, otpauth_uri: totp.toString() }
}

/**
 * Finds the newest step around now with this code. All steps are always computed, so that the time
 * taken reveals nothing.
 */
export function newestStep(secret: Buffer, code: string, now_seconds: number): number | undefined {
  const now_step = Math.floor(now_seconds / period_seconds)
  const given = Buffer.from(code)
  const fitting = [now_step - 1, now_step, now_step + 1].filter(step => {
    const right = Buffer.from(HOTP.generate({ ...form, secret: secretOf(secret), counter: step }))
    return right.length === given.length && timingSafeEqual(right, given)
  })
  return fitting.at(-1)
}

/**
 * Returns false if this step or a later one was used. Seals the secret again with the current key.
 */
export async function claimStep(
  tx: Tx,
  keys: Keys,
  method: { readonly id: string; readonly tenant_id: string },
  secret: Buffer,
  step: number,
): Promise<boolean> {
  const { id, tenant_id } = method
  const claimed = await tx.run(sql`
    update identity.mfa_methods
    set last_used_step = ${step}, last_used_at = kernel.now(),
      encrypted_secret_or_public_key = ${sealTotpSecret(keys, id, secret)}
    where tenant_id = ${tenant_id} and id = ${id} and status <> 'removed'
      and (last_used_step is null or last_used_step < ${step})`)
  return claimed === 1
}

function secretOf(secret: Buffer): Secret {
  return new Secret({ buffer: Uint8Array.from(secret).buffer })
}

export const sealedTotpSecrets: SealedColumn = {
  table: 'identity.mfa_methods',
  key: ['id'],
  column: 'encrypted_secret_or_public_key',
  use,
  where: sql`t.type = 'totp'`,
  place: ({ id }) => placeOf(String(id)),
}
