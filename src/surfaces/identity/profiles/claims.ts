/**
 * Claims that a tenant adds to the tokens of its own accounts, from their profile and metadata. Access
 * tokens have them in `ext`, so that no claim is mistaken for one of ours. Tokens of guests have none:
 * what a person's home knows is not for another tenant.
 */
import { Type, type Static } from 'typebox'
import { closed, nullable, sql, type Reader } from '#dodeca/kernel'
import { Fields, unfit } from './profile.ts'

const Place = Type.Union([
  Type.Literal('access_token'),
  Type.Literal('id_token'),
  Type.Literal('userinfo'),
])
export type ClaimPlace = Static<typeof Place>

export const Claims = Type.Array(
  closed({
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_:./-]*$', minLength: 1, maxLength: 100 }),
    from: Type.String({
      pattern: '^(profile|metadata)(\\.[A-Za-z0-9_-]+){1,5}$',
      minLength: 9,
      maxLength: 200,
      examples: ['profile.department'],
    }),
    in: Type.Array(Place, { minItems: 1, maxItems: 3, uniqueItems: true }),
  }),
  { maxItems: 10 },
)
export type Claims = Static<typeof Claims>

/** Names of RFC 7519 and 9068, of OpenID Connect, and ours: what we say, nobody else says. */
const reserved = new Set(
  `iss sub aud exp nbf iat jti sid tid did scope client_id azp aal acr amr auth_time act may_act cnf
  nonce at_hash c_hash s_hash bound ext events sub_id sub_jwk roles groups entitlements permissions
  email email_verified name locale updated_at preferred_username phone_number
  phone_number_verified`.split(/\s+/),
)

export function requireClaims(claims: Claims): void {
  const names = new Set<string>()
  for (const [at, { name }] of claims.entries()) {
    const pointer = `/claims/${at}/name`
    if (reserved.has(name)) {
      throw unfit(pointer, 'reserved', `\`${name}\` is a claim of the platform. Use another name.`)
    }
    if (names.has(name)) throw unfit(pointer, 'unique', `Two claims have the name \`${name}\`.`)
    names.add(name)
  }
}

const bytes_max = 1024

/** Null if the tenant declares none for this account. */
export const SaidClaims = nullable(Fields)

type Asked = {
  readonly account_id: string
  /** The tenant in which the token works. */
  readonly tenant_id: string
  readonly place: ClaimPlace
  /** Of the session; null for a full one. */
  readonly scope: readonly string[] | null
}

/** The claims for a token or a reply, at its top level: none has a reserved name. */
export async function claimsFor(
  reader: Reader,
  { account_id, tenant_id, place, scope }: Asked,
): Promise<Fields> {
  const found = await reader.maybe(
    Type.Object({ claims: SaidClaims }),
    sql`
      select identity.claims_of(t.claims, a.profile, a.metadata, ${scope as string[] | null}::text[],
        ${place}, ${bytes_max}) as claims
      from identity.accounts a
      join identity.tenants t on t.id = a.tenant_id and t.claims is not null
      where a.tenant_id = ${tenant_id} and a.id = ${account_id}`,
  )
  return found?.claims ?? {}
}
