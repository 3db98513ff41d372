/** The schemas of identity, as rows and on the wire, that more than one folder uses. */
import { type Static, Type } from 'typebox'
import { Id, nullable, text, Time, Version } from '#dodeca/kernel'

/** The bytes of a row; they are never sent. */
export const Bytes = Type.Unsafe<Buffer>(Type.Any())
export const Touched = Type.Object({ id: Id })
export const Versioned = Type.Object({ tenant_id: Id, version: Version })

export const default_tenant_id = '01900000-0000-7000-8000-000000000001'

export const Aal = Type.Union([Type.Literal('aal1'), Type.Literal('aal2')])
export const Delivery = Type.Union([Type.Literal('token'), Type.Literal('cookie')])

export const Email = text(1024)
export const Password = text(1024)
export const Slug = Type.String({ pattern: '^[a-z0-9-]{3,40}$', minLength: 3, maxLength: 40 })
/** Of a new tenant: begins with a letter, and hyphens stand alone, so it is mistaken for no other name. */
export const NewSlug = Type.String({
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
  minLength: 3,
  maxLength: 40,
})
export const Locale = Type.String({
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
  minLength: 2,
  maxLength: 35,
})
export const DisplayName = text(100)
export const DeviceName = text(100)
export const OneTimeToken = text(200)

/** An anonymous account has no address yet. It becomes a person when it proves one. */
const AccountKind = Type.Union([Type.Literal('person'), Type.Literal('anonymous')])

/** An account with the columns that starting a session needs. */
export const AccountRow = Type.Object({
  id: Id,
  tenant_id: Id,
  kind: AccountKind,
  email: nullable(Type.String()),
  email_normalized: Type.String(),
  status: Type.String(),
  verified_at: nullable(Time),
  display_name: nullable(Type.String()),
  locale: nullable(Type.String()),
  version: Version,
  created_at: Time,
})
export type AccountRow = Static<typeof AccountRow>

export const Account = Type.Object(
  {
    id: Id,
    tenant_id: Id,
    kind: AccountKind,
    email: nullable(Type.String()),
    email_normalized: Type.String(),
    status: Type.String(),
    verified_at: nullable(Time),
    display_name: nullable(Type.String()),
    locale: nullable(Type.String()),
    created_at: Time,
  },
  { title: 'Account' },
)

/**
 * The reply of a login, a refresh and a verified second factor; with cookies the tokens are left
 * out.
 */
export const SessionTokens = Type.Object(
  {
    session_id: Id,
    account_id: Id,
    tenant_id: Id,
    token_type: Type.Literal('Bearer'),
    access_token: Type.Optional(Type.String({ maxLength: 3000 })),
    expires_in: Type.Integer(),
    refresh_token: Type.Optional(Type.String({ maxLength: 80 })),
    refresh_expires_in: Type.Integer(),
    session_expires_at: Time,
    aal: Aal,
    /** `enrolment` if the organization requires a second factor, and the account has none yet. */
    scope: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    device_token: Type.Optional(Type.String({ maxLength: 200 })),
    csrf_token: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { title: 'SessionTokens' },
)
export type SessionTokens = Static<typeof SessionTokens>

/** A login that waits for a second factor. */
export const MfaRequired = Type.Object(
  {
    id: Id,
    status: Type.Literal('mfa_required'),
    login_token: Type.String({ maxLength: 100 }),
    expires_in: Type.Integer(),
    challenge: Type.Object({
      challenge_id: Id,
      type: Type.String(),
      expires_at: Time,
      public_key: Type.Optional(Type.Unknown()),
    }),
    methods: Type.Array(Type.Object({ id: Id, type: Type.String(), label: Type.String() }), {
      maxItems: 100,
    }),
  },
  { title: 'MfaRequired' },
)
export type MfaRequired = Static<typeof MfaRequired>

/**
 * A request whose status changes only through a mailed token. So the status reveals nothing about
 * an address.
 */
export const Progress = Type.Object(
  { id: Id, status: Type.String(), created_at: Time, expires_at: Time },
  { title: 'IdentityProgress' },
)
export type Progress = Static<typeof Progress>

export const Accepted = Type.Object(
  { id: Id, status: Type.Literal('accepted'), expires_at: Time },
  { title: 'IdentityAccepted' },
)

export const ClientMetadata = Type.Object({
  device_name: nullable(Type.String()),
  ua_family: nullable(Type.String()),
  ip_prefix: nullable(Type.String()),
})
export type ClientMetadata = Static<typeof ClientMetadata>

/** An account as the command line shows it. */
export const AccountLine = Type.Object({
  id: Id,
  tenant: Type.String(),
  email: nullable(Type.String()),
  display_name: nullable(Type.String()),
  status: Type.String(),
  role_ids: Type.Array(Type.String()),
  created_at: Time,
})
export type AccountLine = Static<typeof AccountLine>
