/**
 * Activates a second factor after its owner has entered a valid code. The code cannot be used
 * again. The first factor also creates recovery codes. Only this reply contains them.
 */
import { Type, type Static } from 'typebox'
import { Id, sql, Version, violates, type Headers, type Tx } from '#dodeca/kernel'
import { accountById, raiseAccountVersion } from '../../accounts/find-account.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { notifyOwner } from '../../mails/notify-owner.ts'
import { relyingParty } from '../../passkeys/relying-party.ts'
import { Delivery, SessionTokens, type AccountRow } from '../../schemas.ts'
import { recordSecurityEvent, type Seen } from '../../security-events/record-security-event.ts'
import { beginFullSession } from '../../sessions/begin-full-session.ts'
import { isEnrolment } from '../../sessions/narrowed.ts'
import { holdAccount } from './hold-account.ts'
import type { Session } from '../holder.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { Attestation, Code, MethodRow, RecoveryCodes } from '../schemas.ts'
import { guessing } from '../limit-guesses.ts'
import { claimStep, newestStep, openTotpSecret } from './totp.ts'
import { readAttestation } from './webauthn.ts'

export const Activate = Type.Object(
  {
    code: Type.Optional(Code),
    attestation: Type.Optional(Attestation),
    /** Of the full session that begins, if the caller's had the scope `enrolment`. */
    delivery: Type.Optional(Delivery),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['code'] }, { required: ['attestation'] }],
  },
)
type Activate = Static<typeof Activate>

export const Activated = Type.Object(
  {
    id: Id,
    status: Type.Literal('active'),
    recovery_codes: Type.Optional(RecoveryCodes),
    /** The full session that has begun, if the caller's had the scope `enrolment` and has ended. */
    session: Type.Optional(SessionTokens),
  },
  { title: 'MfaActivated' },
)
type Activated = Static<typeof Activated>

/** The headers set the cookies of a session that has begun. */
type Done = { readonly activated: Activated; readonly headers: Headers }

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

export async function activateMethod(
  deps: Needs,
  principal: Session,
  method_id: string,
  shown: Activate,
  seen: Seen,
): Promise<Done> {
  const account_id = principal.id
  // The tenant of the account, not the tenant in which the session is active.
  const tenant_id = (await accountById(deps.kernel.db, account_id))?.tenant_id
  if (tenant_id === undefined) throw problem('permission_denied')
  const method = shown.code === undefined ? 'webauthn' : 'totp'
  const guess = { tenant_id, account_id, actor: account_id, method, seen }
  return await guessing(deps, guess, () =>
    deps.kernel.db.tx(async tx => {
      const { account, active } = await holdAccount(tx, deps, principal)
      const pending = await pendingMethod(tx, deps, account_id, method_id)
      await requireProof(tx, deps, pending, shown)
      const { version } = await tx.one(
        Type.Object({ version: Version }),
        sql`
          update identity.mfa_methods
          set status = 'active', registration_challenge = null, version = version + 1
          where tenant_id = ${account.tenant_id} and id = ${method_id} and status = 'pending'
          returning version`,
      )
      await announce(tx, account, pending, version, seen)
      const codes =
        active > 0
          ? {}
          : { recovery_codes: await replaceRecoveryCodes(tx, deps.kernel.keys, account) }
      const done = { id: method_id, status: 'active', ...codes } as const
      if (!isEnrolment(principal)) return { activated: done, headers: {} }
      const how = { amr: pending.type === 'totp' ? 'otp' : 'hwk', delivery: shown.delivery, seen }
      const { body: session, headers } = await beginFullSession(tx, deps, principal, how)
      return { activated: { ...done, session }, headers }
    }),
  )
}

async function announce(
  tx: Tx,
  account: AccountRow,
  { id: method_id, type }: MethodRow,
  version: number,
  seen: Seen,
): Promise<void> {
  const { id: account_id, tenant_id } = account
  await raiseAccountVersion(tx, account_id)
  tx.emit({
    type: 'mfa_method.activated',
    tenant_id,
    aggregate_type: 'mfa_method',
    aggregate_id: method_id,
    aggregate_version: version,
    data: { account_id, method_id, type },
  })
  await recordSecurityEvent(tx, {
    tenant_id,
    account_id,
    action: 'mfa_method.activated',
    actor: account_id,
    seen,
    method: type,
  })
  await notifyOwner(tx, account, type === 'passkey' ? 'passkey_added' : 'factor_added')
}

async function pendingMethod(
  tx: Tx,
  { kernel: { settings } }: Needs,
  account_id: string,
  method_id: string,
): Promise<MethodRow> {
  const method = await tx.maybe(
    Type.Object({ ...MethodRow.properties, over: Type.Boolean() }),
    sql`
      select id, tenant_id, account_id, type, status, encrypted_secret_or_public_key,
        credential_id, transports, registration_challenge,
        status = 'pending' and created_at <= kernel.now()
          - make_interval(secs => ${settings['identity.mfa_method_ttl_seconds']}) as over
      from identity.mfa_methods where account_id = ${account_id} and id = ${method_id}`,
  )
  if (!method || method.over || method.status === 'removed') throw problem('mfa_method_not_found')
  if (method.status !== 'pending')
    throw problem('invalid_transition', { current_state: method.status })
  return method
}

async function requireProof(
  tx: Tx,
  { kernel }: Needs,
  method: MethodRow,
  { code, attestation }: Activate,
): Promise<void> {
  const proven =
    method.type === 'totp'
      ? code !== undefined && (await proveCode(tx, kernel, method, code))
      : attestation !== undefined && (await keepKey(tx, kernel, method, attestation))
  if (!proven) throw problem('mfa_verification_failed')
}

async function proveCode(
  tx: Tx,
  { keys, clock }: Deps['kernel'],
  method: MethodRow,
  code: string,
): Promise<boolean> {
  const sealed = method.encrypted_secret_or_public_key
  if (sealed === null) return false
  const secret = openTotpSecret(keys, method.id, sealed)
  const step = newestStep(secret, code, clock.nowSeconds())
  return step !== undefined && (await claimStep(tx, keys, method, secret, step))
}

async function keepKey(
  tx: Tx,
  kernel: Deps['kernel'],
  method: MethodRow,
  attestation: Attestation,
): Promise<boolean> {
  const { id, tenant_id } = method
  const key = await readAttestation(relyingParty(kernel), method, attestation)
  if (!key) return false
  try {
    await tx.run(sql`
      update identity.mfa_methods
      set credential_id = ${key.credential_id}, transports = ${key.transports},
        encrypted_secret_or_public_key = ${key.public_key}, sign_count = ${key.sign_count},
        last_used_at = kernel.now()
      where tenant_id = ${tenant_id} and id = ${id} and status = 'pending'`)
  } catch (error) {
    if (violates(error, 'mfa_methods_credential')) throw problem('already_exists')
    throw error
  }
  return true
}
