/**
 * Second factors as rows and on the wire. The responses of an authenticator keep the names that
 * browsers give them (`PublicKeyCredential.toJSON()`), so that a page can send them unchanged.
 */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, text, Time } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'

/** A `passkey` logs in alone and is a second factor too; a `webauthn` key is only a factor. */
export const MethodType = Type.Union([
  Type.Literal('totp'),
  Type.Literal('webauthn'),
  Type.Literal('passkey'),
])
export type MethodType = Static<typeof MethodType>

export const Code = Type.String({ pattern: '^[0-9]{6}$', minLength: 6, maxLength: 6 })
export const RecoveryCode = text(40)
export const RecoveryCodes = Type.Array(Type.String({ maxLength: 20 }), {
  minItems: 10,
  maxItems: 10,
})

const encoded = (maxLength: number) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength })
const transports = Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$', maxLength: 20 }), {
  maxItems: 10,
})
const credential = {
  id: encoded(1400),
  rawId: encoded(1400),
  type: Type.Literal('public-key'),
  /** Browsers send these along; they are not read. */
  authenticatorAttachment: Type.Optional(nullable(text(20))),
  clientExtensionResults: Type.Optional(Type.Unknown()),
}

/** The result of `navigator.credentials.get`. */
export const Assertion = closed({
  ...credential,
  response: closed({
    clientDataJSON: encoded(4000),
    authenticatorData: encoded(4000),
    signature: encoded(4000),
    userHandle: Type.Optional(nullable(encoded(100))),
  }),
})
export type Assertion = Static<typeof Assertion>

/** The result of `navigator.credentials.create`. */
export const Attestation = closed({
  ...credential,
  response: closed({
    clientDataJSON: encoded(4000),
    attestationObject: encoded(12_000),
    transports: Type.Optional(transports),
    authenticatorData: Type.Optional(encoded(4000)),
    publicKey: Type.Optional(nullable(encoded(4000))),
    publicKeyAlgorithm: Type.Optional(Type.Integer()),
  }),
})
export type Attestation = Static<typeof Attestation>

/** A second factor as its owner sees it. */
export const Method = Type.Object(
  {
    id: Id,
    type: MethodType,
    label: Type.String(),
    status: Type.Union([Type.Literal('pending'), Type.Literal('active')]),
    created_at: Time,
    last_used_at: nullable(Time),
  },
  { title: 'MfaMethod' },
)

/** A second factor with the data that checks it. */
export const MethodRow = Type.Object({
  id: Id,
  tenant_id: Id,
  account_id: Id,
  type: MethodType,
  status: Type.String(),
  encrypted_secret_or_public_key: nullable(Bytes),
  credential_id: nullable(Type.String()),
  transports: nullable(Type.Array(Type.String())),
  registration_challenge: nullable(Type.String()),
})
export type MethodRow = Static<typeof MethodRow>

const purpose = Type.Union([Type.Literal('login'), Type.Literal('step_up')])
const status = Type.Union([
  Type.Literal('open'),
  Type.Literal('consumed'),
  Type.Literal('expired'),
  Type.Literal('exhausted'),
])

export const OpenedChallenge = Type.Object(
  {
    id: Id,
    challenge_id: Id,
    status,
    type: MethodType,
    purpose,
    expires_at: Time,
    public_key: Type.Optional(Type.Unknown()),
  },
  { title: 'MfaChallenge' },
)
export type OpenedChallenge = Static<typeof OpenedChallenge>

export const ChallengeStatus = Type.Object(
  { id: Id, status, type: MethodType, purpose, created_at: Time, expires_at: Time },
  { title: 'MfaChallengeStatus' },
)

export const SteppedUp = Type.Object(
  {
    access_token: Type.Optional(Type.String({ maxLength: 3000 })),
    expires_in: Type.Integer(),
    aal: Type.Literal('aal2'),
    auth_time: Time,
  },
  { title: 'SteppedUp' },
)
export type SteppedUp = Static<typeof SteppedUp>
