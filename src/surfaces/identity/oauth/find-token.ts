/** Finds the grant of an access token or a refresh token that an application or an API shows. */
import { decodeJwt } from 'jose'
import { Type } from 'typebox'
import { Id, Problem, sql, type Reader } from '#dodeca/kernel'
import { apiKeyStands } from '../api-keys/authenticate.ts'
import type { Deps } from '../deps.ts'
import { hashOf } from '../one-time.ts'
import { isGenuine, parseToken, type RefreshToken } from '../sessions/refresh-token.ts'

export type FoundToken = {
  readonly kind: 'access' | 'refresh'
  readonly account_id: string
  readonly session_id: string
  readonly tenant_id: string
  readonly client_id: string
  readonly scope: readonly string[]
  readonly audience: string
  /** Seconds since the epoch. */
  readonly expires_at: number
}

type Needs = Pick<Deps, 'kernel' | 'tokens' | 'denied'>

/** Undefined if the token is not valid, or is not of an application. */
export async function findToken(deps: Needs, token: string): Promise<FoundToken | undefined> {
  const refresh = parseToken(token)
  return refresh ? await findRefresh(deps.kernel.db, deps, refresh) : await findAccess(deps, token)
}

/** Every access token of an application, for whichever API it is. */
async function findAccess(
  { kernel, tokens, denied }: Needs,
  token: string,
): Promise<FoundToken | undefined> {
  const audience = audienceOf(token)
  if (audience === undefined) return undefined
  try {
    const { account_id, session_id, tenant_id, expires_at, narrow } = await tokens.verifyFor(
      token,
      audience,
    )
    const { client_id, scope } = narrow ?? {}
    if (client_id === undefined || !scope) return undefined
    if (await denied.hasEnded(session_id, tenant_id)) return undefined
    // Of a program, which has an API key instead of a session.
    const by_key = client_id === session_id
    if (by_key && !(await apiKeyStands(kernel, { id: client_id, tenant_id }))) return undefined
    const of = { account_id, session_id, tenant_id, client_id, audience, expires_at }
    return { kind: 'access', ...of, scope: [...scope] }
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined
    throw error
  }
}

/** What the token says of itself; `verifyFor` then proves it. */
function audienceOf(token: string): string | undefined {
  try {
    const { aud } = decodeJwt(token)
    return typeof aud === 'string' ? aud : undefined
  } catch {
    // Not a token of ours.
    return undefined
  }
}

const Row = Type.Object({
  account_id: Id,
  tenant_id: Id,
  client_id: Type.String(),
  scope: Type.Array(Type.String()),
  audience: Type.String(),
  expires_at: Type.Integer(),
})

async function findRefresh(
  reader: Reader,
  { kernel: { public_url } }: Needs,
  { session_id, text }: RefreshToken,
): Promise<FoundToken | undefined> {
  const row = await reader.maybe(
    Row,
    sql`
      -- any tenant: the session is named by its token
      select s.account_id, s.active_tenant_id as tenant_id, s.client_id, s.scope,
        coalesce(s.audience, ${`${public_url}/v1`}) as audience,
        extract(epoch from least(s.refresh_expires_at, s.expires_at))::bigint as expires_at
      from identity.sessions s
      where s.id = ${session_id} and s.refresh_hash = ${hashOf(text)}
        and s.refresh_expires_at > kernel.now()
        and s.client_id is not null and s.revoked_at is null and s.expires_at > kernel.now()`,
  )
  return row && { kind: 'refresh', session_id, ...row }
}

/** The session of a refresh token that we issued, also if it was used; null for any other text. */
export function sessionOfRefresh({ kernel }: Pick<Deps, 'kernel'>, token: string): string | null {
  const parsed = parseToken(token)
  return parsed && isGenuine(kernel.keys, parsed) ? parsed.session_id : null
}
