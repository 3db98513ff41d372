/**
 * Security keys and passkeys. A passkey is stored by its authenticator together with the account,
 * and verifies the person, so it can log in alone. A sign count that decreases hints at a copied key.
 * The login still succeeds, since some authenticators count incorrectly, but a security event is
 * recorded.
 */
import { Type } from 'typebox'
import { newSecret, nullable, sql, type Tx } from '#dodeca/kernel'
import type { RelyingParty } from '../../passkeys/relying-party.ts'
import type { Assertion, Attestation, MethodRow } from '../schemas.ts'

export type Credential = { readonly id: string; readonly transports: readonly string[] }

/** EdDSA, ES256 and RS256 by their numbers in COSE; a fixed list, independent of the runtime. */
const algorithms = [-8, -7, -257]

/** A large library that few accounts need: loaded at its first use. */
const library = () => import('@simplewebauthn/server')

type Registration = {
  readonly user: { readonly id: string; readonly name: string; readonly display_name: string }
  readonly known: readonly Credential[]
  readonly is_passkey: boolean
  readonly timeout_ms: number
}

export async function registrationOptions(
  rp: RelyingParty,
  { user, known, is_passkey, timeout_ms }: Registration,
) {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName: rp.id,
    rpID: rp.id,
    userID: Uint8Array.from(bytesOf(user.id)),
    userName: user.name,
    userDisplayName: user.display_name,
    challenge: newChallenge(),
    timeout: timeout_ms,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map(listed),
    authenticatorSelection: {
      residentKey: is_passkey ? 'required' : 'preferred',
      userVerification: is_passkey ? 'required' : 'preferred',
    },
  })
}

export async function requestOptions(rp: RelyingParty, key: Credential, timeout_ms: number) {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: rp.id,
    allowCredentials: [listed(key)],
    challenge: newChallenge(),
    timeout: timeout_ms,
    userVerification: 'preferred',
  })
}

/** Returns the new key, or undefined if the response does not match our challenge. */
export async function readAttestation(
  rp: RelyingParty,
  { type, registration_challenge }: Pick<MethodRow, 'type' | 'registration_challenge'>,
  attestation: Attestation,
) {
  if (registration_challenge === null) return undefined
  const { id, rawId } = attestation
  const { clientDataJSON, attestationObject, transports = [] } = attestation.response
  const response = { clientDataJSON, attestationObject }
  const { verifyRegistrationResponse } = await library()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: registration_challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: type === 'passkey',
    })
    if (!registrationInfo) return undefined
    const { id: credential_id, publicKey, counter } = registrationInfo.credential
    return {
      credential_id,
      public_key: Buffer.from(publicKey),
      sign_count: counter,
      transports,
    }
  } catch {
    // The library throws for every response that does not match. The caller gets the same error for
    // all of them.
    return undefined
  }
}

/**
 * Returns the sign count of a valid response. The challenge is compared, or checked by a function.
 * Where the key is the only proof, it must have verified the person.
 */
export async function readAssertion(
  rp: RelyingParty,
  challenge: string | ((given: string) => boolean),
  method: Pick<MethodRow, 'credential_id' | 'encrypted_secret_or_public_key'>,
  assertion: Assertion,
  user_verified: 'required' | 'any' = 'any',
): Promise<number | undefined> {
  const { credential_id, encrypted_secret_or_public_key: key } = method
  if (credential_id === null || key === null || assertion.id !== credential_id) return undefined
  const { id, rawId } = assertion
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  const response = { clientDataJSON, authenticatorData, signature }
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      // The library refuses a count that decreases. With 0 it skips this check, and
      // `claimSignCount` makes it.
      credential: { id: credential_id, publicKey: Uint8Array.from(key), counter: 0 },
      requireUserVerification: user_verified === 'required',
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The caller gets the same error for all mismatches.
    return undefined
  }
}

const Before = Type.Object({ sign_count: nullable(Type.Integer()) })

/** Returns whether the count decreased, or undefined if the key is no longer active. */
export async function claimSignCount(
  tx: Tx,
  { id, tenant_id }: Pick<MethodRow, 'id' | 'tenant_id'>,
  sign_count: number,
): Promise<{ regressed: boolean } | undefined> {
  const before = await tx.maybe(
    Before,
    sql`
      with before as (
        select tenant_id, id, sign_count from identity.mfa_methods
        where tenant_id = ${tenant_id} and id = ${id} and status = 'active' for update
      )
      update identity.mfa_methods m
      set sign_count = greatest(m.sign_count, ${sign_count}::bigint), last_used_at = kernel.now()
      from before where m.tenant_id = before.tenant_id and m.id = before.id
      returning before.sign_count`,
  )
  if (!before) return undefined
  const old = before.sign_count ?? 0
  return { regressed: old !== 0 && sign_count !== 0 && sign_count <= old }
}

/** The id of an account as an authenticator stores it and returns it. */
export function userHandleOf(account_id: string): string {
  return bytesOf(account_id).toString('base64url')
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

function newChallenge() {
  return Uint8Array.from(Buffer.from(newSecret(), 'base64url'))
}

function listed({ id, transports }: Credential) {
  return { id, transports: [...transports] }
}
