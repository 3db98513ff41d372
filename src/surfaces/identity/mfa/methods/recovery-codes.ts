/**
 * Ten recovery codes for an owner who has lost the factor. Each has 50 bits, is shown once and can
 * be used once. They are stored as keyed hashes, so that a stolen table cannot be searched.
 */
import { newSecret, sql, type Keyring, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { notifyOwner } from '../../mails/notify-owner.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import { requireStepUp } from '../../step-up.ts'
import type { Session } from '../holder.ts'
import { holdAccount } from './hold-account.ts'

const codes = 10
const symbols = 10
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

type Keys = Pick<Keyring, 'fingerprint'>
type Owner = { readonly id: string; readonly tenant_id: string }

/** Makes a new set, if the account has a factor that the codes can replace. */
export async function renewRecoveryCodes(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  principal: Session,
  seen: Seen,
): Promise<string[]> {
  await requireStepUp(tx, deps.kernel, principal)
  const { account, active } = await holdAccount(tx, deps, principal)
  if (active === 0) throw problem('mfa_method_not_found')
  await recordSecurityEvent(tx, {
    tenant_id: account.tenant_id,
    account_id: account.id,
    action: 'recovery_codes.renewed',
    actor: account.id,
    seen,
  })
  await notifyOwner(tx, account, 'recovery_codes_renewed')
  return await replaceRecoveryCodes(tx, deps.kernel.keys, account)
}

/** Replaces the old set with a new one. */
export async function replaceRecoveryCodes(
  tx: Tx,
  keys: Keys,
  { id, tenant_id }: Owner,
): Promise<string[]> {
  const fresh = Array.from({ length: codes }, newCode)
  const hashes = fresh.map(code => hashOfCode(keys, id, code))
  await dropRecoveryCodes(tx, id)
  await tx.run(sql`
    insert into identity.recovery_codes (tenant_id, account_id, code_hash)
    select ${tenant_id}, ${id}, unnest(${hashes}::bytea[])`)
  return fresh.map(code => `${code.slice(0, symbols / 2)}-${code.slice(symbols / 2)}`)
}

export async function dropRecoveryCodes(tx: Tx, account_id: string): Promise<void> {
  await tx.run(sql`delete from identity.recovery_codes where account_id = ${account_id}`)
}

/** Returns false if the account has no such code, or the code was used. */
export async function claimRecoveryCode(
  tx: Tx,
  keys: Keys,
  { id, tenant_id }: Owner,
  code: string,
): Promise<boolean> {
  const claimed = await tx.run(sql`
    update identity.recovery_codes set used_at = kernel.now()
    where tenant_id = ${tenant_id} and account_id = ${id}
      and code_hash = ${hashOfCode(keys, id, code)} and used_at is null`)
  return claimed === 1
}

/** Each byte gives five of its bits: 256 is a multiple of 32, so every symbol is equally likely. */
function newCode(): string {
  const bytes = [...Buffer.from(newSecret(symbols), 'base64url')]
  return bytes.map(byte => alphabet[byte % alphabet.length]).join('')
}

/**
 * Accepts what people type from paper: any case, with or without the dash, O for 0, I and L for 1.
 */
function hashOfCode(keys: Keys, account_id: string, code: string): Buffer {
  const plain = code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return keys.fingerprint('identity.recovery_code', `${account_id}\n${plain}`)
}
