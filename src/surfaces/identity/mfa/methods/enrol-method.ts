/**
 * Adds a second factor, or a passkey. It is not accepted until its owner activates it. A factor that
 * is not activated in time is deleted. A passkey opens the account alone, so it requires a recent
 * log-in, which a stolen session does not have.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, newId, sql, text, type Tx } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { relyingParty } from '../../passkeys/relying-party.ts'
import type { AccountRow } from '../../schemas.ts'
import { requireStepUp } from '../../step-up.ts'
import { holdAccount } from './hold-account.ts'
import type { Session } from '../holder.ts'
import { activeMethods } from './find-methods.ts'
import { MethodType } from '../schemas.ts'
import { enrolment, newTotpSecret, sealTotpSecret } from './totp.ts'
import { registrationOptions } from './webauthn.ts'

export const Enrol = closed({ type: MethodType, label: text(100) })
type Enrol = Static<typeof Enrol>

export const Enrolled = Type.Object(
  {
    id: Id,
    status: Type.Literal('pending'),
    type: MethodType,
    label: Type.String(),
    secret: Type.Optional(Type.String({ maxLength: 100 })),
    otpauth_uri: Type.Optional(Type.String({ maxLength: 4000 })),
    public_key: Type.Optional(Type.Unknown()),
  },
  { title: 'MfaEnrolment' },
)
type Enrolled = Static<typeof Enrolled>

type Draft = Enrol & { readonly id: string; readonly account: AccountRow }

export async function enrolMethod(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  principal: Session,
  { type, label }: Enrol,
): Promise<Enrolled> {
  if (type === 'passkey') await requireStepUp(tx, deps.kernel, principal)
  const { account } = await holdAccount(tx, deps, principal)
  await makeRoom(tx, deps, account)
  const draft = { id: newId(), account, type, label }
  const shown = type === 'totp' ? await beginTotp(tx, deps, draft) : await beginKey(tx, deps, draft)
  return { id: draft.id, status: 'pending', type, label, ...shown }
}

/** Expired pending factors are deleted. The others count towards the limit. */
async function makeRoom(
  tx: Tx,
  { kernel: { settings, counted } }: Pick<Deps, 'kernel'>,
  { id, tenant_id }: AccountRow,
): Promise<void> {
  await tx.run(sql`
    delete from identity.mfa_methods
    where tenant_id = ${tenant_id} and account_id = ${id} and status = 'pending'
      and created_at <= kernel.now()
        - make_interval(secs => ${settings['identity.mfa_method_ttl_seconds']})`)
  await counted(
    tx,
    `identity.mfa_methods:${id}`,
    settings['identity.mfa_methods_per_account'],
    sql`
      select from identity.mfa_methods
      where tenant_id = ${tenant_id} and account_id = ${id} and status <> 'removed'`,
  )
}

async function beginTotp(tx: Tx, { kernel }: Pick<Deps, 'kernel'>, { id, account, label }: Draft) {
  const secret = newTotpSecret()
  await tx.run(sql`
    insert into identity.mfa_methods
      (tenant_id, id, account_id, type, encrypted_secret_or_public_key, status, label)
    values (${account.tenant_id}, ${id}, ${account.id}, 'totp',
      ${sealTotpSecret(kernel.keys, id, secret)}, 'pending', ${label})`)
  return enrolment(secret, relyingParty(kernel).id, nameOf(account))
}

async function beginKey(tx: Tx, { kernel }: Pick<Deps, 'kernel'>, draft: Draft) {
  const { id, account, type, label } = draft
  const known = await activeMethods(tx, account.id)
  const keys = known.flatMap(({ credential_id, transports }) =>
    credential_id === null ? [] : [{ id: credential_id, transports: transports ?? [] }],
  )
  const name = nameOf(account)
  const public_key = await registrationOptions(relyingParty(kernel), {
    user: { id: account.id, name, display_name: account.display_name ?? name },
    known: keys,
    is_passkey: type === 'passkey',
    timeout_ms: kernel.settings['identity.mfa_method_ttl_seconds'] * 1000,
  })
  await tx.run(sql`
    insert into identity.mfa_methods
      (tenant_id, id, account_id, type, status, label, registration_challenge)
    values (${account.tenant_id}, ${id}, ${account.id}, ${type}, 'pending', ${label},
      ${public_key.challenge})`)
  return { public_key }
}

function nameOf({ email, email_normalized }: AccountRow): string {
  return email ?? email_normalized
}
