/**
 * The challenge of a log-in with a passkey. The person is not known yet, so no row is written: the challenge
 * carries its expiry and our MAC. When it logs somebody in, its hash is stored as used. The unique
 * key of the hash lets only one log-in have it.
 */
import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { hashOf } from '../one-time.ts'
import type { AccountRow } from '../schemas.ts'
import type { Kernel } from '../settings.ts'
import { relyingParty } from './relying-party.ts'

const use = 'identity.passkey_login'
const random_bytes = 16
const time_bytes = 6
const mac_bytes = 16

/** The options for `navigator.credentials.get`. The person chooses the passkey, and so the account. */
export function passkeyOptions(kernel: Pick<Kernel, 'keys' | 'clock' | 'settings' | 'public_url'>) {
  const { keys, clock, settings } = kernel
  const expires_in = settings['identity.mfa_challenge_ttl_seconds']
  const body = Buffer.alloc(random_bytes + time_bytes, randomBytes(random_bytes))
  body.writeUIntBE(clock.nowSeconds() + expires_in, random_bytes, time_bytes)
  const mac = keys.mac(use, body).subarray(0, mac_bytes)
  const public_key = {
    challenge: Buffer.concat([body, mac]).toString('base64url'),
    timeout: expires_in * 1000,
    rpId: relyingParty(kernel).id,
    userVerification: 'required' as const,
  }
  return { public_key, expires_in }
}

/** When the challenge ends, in seconds since the epoch; undefined if it is not ours or has ended. */
export function endOfChallenge(
  { keys, clock }: Pick<Kernel, 'keys' | 'clock'>,
  challenge: string,
): number | undefined {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== random_bytes + time_bytes + mac_bytes) return undefined
  const body = bytes.subarray(0, random_bytes + time_bytes)
  if (!keys.macMatches(use, body, bytes.subarray(body.length))) return undefined
  const end = body.readUIntBE(random_bytes, time_bytes)
  return end > clock.nowSeconds() ? end : undefined
}

/** Returns false if the challenge has logged somebody in before. */
export async function useChallenge(
  tx: Tx,
  { id, tenant_id }: Pick<AccountRow, 'id' | 'tenant_id'>,
  challenge: string,
  end: number,
): Promise<boolean> {
  const stored = await tx.run(sql`
    insert into identity.one_time_challenges
      (id_hash, tenant_id, account_id, purpose, ref, expires_at, consumed_at)
    values (${hashOf(challenge)}, ${tenant_id}, ${id}, 'passkey_login', ${newId()},
      to_timestamp(${end}), kernel.now())
    on conflict (id_hash) do nothing`)
  return stored === 1
}
