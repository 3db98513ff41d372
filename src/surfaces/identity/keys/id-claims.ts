/** What an application learns of a log-in (OpenID Connect Core, 2). */
import { createHash } from 'node:crypto'

export type IdFacts = {
  readonly account_id: string
  /** The organization in which the application works. */
  readonly tenant_id: string
  readonly client_id: string
  readonly aal: 'aal1' | 'aal2'
  readonly amr: readonly string[]
  /** Seconds since the epoch. */
  readonly auth_time: number
  readonly nonce: string | null
  /** The access token that is given with it. */
  readonly access_token: string
  /** What the tenant adds. */
  readonly claims: Readonly<Record<string, unknown>>
}

export function idClaims({ account_id, tenant_id, aal, amr, auth_time, ...facts }: IdFacts) {
  const { nonce, access_token, claims } = facts
  const half = createHash('sha256').update(access_token).digest().subarray(0, 16)
  return {
    ...claims,
    sub: account_id,
    tid: tenant_id,
    auth_time,
    acr: aal,
    amr: [...amr],
    ...(nonce !== null && { nonce }),
    at_hash: half.toString('base64url'),
  }
}
