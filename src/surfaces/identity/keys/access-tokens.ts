/**
 * Access tokens. This process signs them. Every process verifies them without querying the
 * database, and refuses a token whose session is revoked. A verified token is cached, because
 * clients send the same token many times. It is found by its end, which is half of its signature,
 * and then compared as a whole: a map would read all 600 bytes of a key to hash it (1.3 of the 23 µs
 * of a request). A digest would protect nothing: an attacker who can read this memory can read the
 * signing keys too.
 */
import { errors, jwtVerify, type JWTPayload } from 'jose'
import { newId } from '#dodeca/kernel'
import type { Scope } from '#dodeca/kernel'
import type { RealtimeHolder, RealtimeToken } from '../face.ts'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'
import { margin_seconds, type Denied } from '../sessions/revocation-list.ts'
import { signEs256 } from './es256.ts'
import { idClaims, type IdFacts } from './id-claims.ts'
import type { SigningKeys } from './signing-keys.ts'

export type TokenFacts = {
  readonly account_id: string
  readonly session_id: string
  readonly tenant_id: string
  readonly aal: 'aal1' | 'aal2'
  readonly amr: readonly string[]
  /** Seconds since the epoch. */
  readonly auth_time: number
}

/** Of a session that is narrower than its account. */
export type NarrowFacts = {
  /** Null if the session is only bound to a tenant. */
  readonly scope: readonly string[] | null
  readonly client_id: string | null
  /** The API for which the token is; null for this one. */
  readonly audience: string | null
  readonly away: boolean
}

/** The facts of a token, and its end in seconds since the epoch. */
export type ReadFacts = TokenFacts & {
  readonly expires_at: number
  readonly narrow?: { readonly scope?: Scope; readonly client_id?: string; readonly away?: true }
  /** The token works at `/mcp` alone. */
  readonly mcp?: true
}

export type AccessTokens = {
  /** `claims`: what the tenant adds to its tokens. They are in `ext`. */
  sign(
    facts: TokenFacts & {
      readonly narrow?: NarrowFacts | undefined
      readonly claims?: Readonly<Record<string, unknown>> | null
    },
  ): string
  /** An id_token is for its application alone: no API takes it. */
  signId(facts: IdFacts): string
  signRealtime(
    facts: Pick<TokenFacts, 'account_id' | 'session_id' | 'tenant_id'> & {
      readonly device_id?: string | undefined
    },
  ): RealtimeToken
  /**
   * Returns the claims of a valid realtime token with its id, or throws `invalid_token`. It does not
   * check revocation.
   */
  verifyRealtime(token: string): Promise<RealtimeHolder & { readonly id: string }>
  /**
   * Returns the claims of a valid, unexpired token, or throws `invalid_token`. It does not check
   * revocation.
   */
  verify(token: string): Promise<ReadFacts> | ReadFacts
  /** The same for a token that is for another API. */
  verifyFor(token: string, audience: string): Promise<ReadFacts>
}

const full_audience = 'dodeca'
const leeway_seconds = 5
const realtime_seconds = 60
const cache_max = 10_000
const end_length = 43

type Verified = {
  readonly token: string
  readonly facts: ReadFacts
  readonly iat: number
  readonly exp: number
  readonly kid: string
}

/** The API for models, for which applications get tokens of their own (RFC 8707). */
export function mcpResource({ public_url }: Pick<Kernel, 'public_url'>): string {
  return `${public_url}/mcp`
}

/** The issuer of all tokens. */
export function issuerOf({ settings, public_url }: Pick<Kernel, 'settings' | 'public_url'>) {
  return settings['identity.issuer'] ?? public_url
}

export function openAccessTokens(
  kernel: Pick<Kernel, 'clock' | 'settings' | 'public_url'>,
  keys: SigningKeys,
  denied: Denied,
): AccessTokens {
  const { clock, settings } = kernel
  const issuer = issuerOf(kernel)
  const narrow_audience = `${kernel.public_url}/v1`
  const mcp = mcpResource(kernel)
  const access: Kind = { ...access_kind, audiences: [full_audience, narrow_audience, mcp] }
  const known = new Map<string, Verified>()
  denied.onAdd(session_id => {
    for (const [end, { facts }] of known) if (facts.session_id === session_id) known.delete(end)
  })
  const signed = (claims: JWTPayload, typ: string, aud: string, life_seconds: number) => {
    const { kid, key } = keys.signer()
    const iat = clock.nowSeconds()
    const life = { iss: issuer, aud, iat, exp: iat + life_seconds, jti: newId() }
    const text = `${encoded({ alg: 'ES256', typ, kid })}.${encoded({ ...claims, ...life })}`
    return `${text}.${signEs256(text, key).toString('base64url')}`
  }
  return {
    sign: ({ narrow, claims, ...facts }) => {
      const more = { ...(narrow && claimsOf(narrow)), ...(claims && { ext: claims }) }
      const aud = narrow ? (narrow.audience ?? narrow_audience) : full_audience
      const life_seconds = settings['identity.access_ttl_seconds']
      return signed({ ...accessClaims(facts), ...more }, 'at+jwt', aud, life_seconds)
    },
    signId: facts =>
      signed(idClaims(facts), 'JWT', facts.client_id, settings['identity.access_ttl_seconds']),
    signRealtime: ({ account_id, session_id, tenant_id, device_id }) => {
      const holder = { sub: account_id, sid: session_id, tid: tenant_id }
      const claims = device_id === undefined ? holder : { ...holder, did: device_id }
      const expires_at = clock.nowSeconds() + realtime_seconds
      const token = signed(claims, realtime.typ, realtime_audience, realtime_seconds)
      return { token, expires_at }
    },
    verifyRealtime: async token => {
      const { payload } = await checked(token, { keys, issuer, now_ms: clock.nowMs() }, realtime)
      const { account_id, session_id, tenant_id } = factsOf(payload)
      const { did, jti = '' } = payload
      const device_id = typeof did === 'string' ? did : null
      return { id: jti, account_id, session_id, tenant_id, device_id }
    },
    verifyFor: async (token, audience) => {
      const kind = { ...access_kind, audiences: [audience] }
      return (await verified(token, { keys, issuer, now_ms: clock.nowMs() }, kind)).facts
    },
    verify: token => {
      const end = token.slice(-end_length)
      const found = known.get(end)
      if (found?.token === token && keys.verifier(found.kid)) {
        const now_seconds = clock.nowSeconds()
        if (found.exp + leeway_seconds > now_seconds && !isAhead(found.iat, now_seconds)) {
          return found.facts
        }
        known.delete(end)
        throw expired()
      }
      const against = { keys, issuer, now_ms: clock.nowMs(), mcp }
      return verified(token, against, access).then(fresh => {
        if (known.size >= cache_max) known.delete(known.keys().next().value ?? '')
        known.set(end, fresh)
        return fresh.facts
      })
    },
  }
}

function accessClaims({ account_id, session_id, tenant_id, ...facts }: TokenFacts): JWTPayload {
  const { auth_time, aal, amr } = facts
  return { sub: account_id, sid: session_id, tid: tenant_id, auth_time, aal, amr: [...amr] }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

type Against = { keys: SigningKeys; issuer: string; now_ms: number; mcp?: string }

/** The kind of a token. A token of another kind is refused. */
type Kind = {
  readonly typ: string
  readonly audiences: readonly string[]
  readonly claims: readonly string[]
  /** The name of this kind in the detail of an error. */
  readonly says: string
}
const access_kind: Omit<Kind, 'audiences'> = {
  typ: 'at+jwt',
  claims: ['sub', 'sid', 'tid', 'exp', 'iat', 'auth_time', 'aal'],
  says: 'The token is not an access token of this platform. Send the `access_token` of a session unchanged, or an API key.',
}
const realtime_audience = 'realtime'
const realtime: Kind = {
  typ: 'realtime+jwt',
  audiences: [realtime_audience],
  claims: ['sub', 'sid', 'tid', 'exp', 'iat', 'jti'],
  says: 'The token is not a realtime token of this platform. Get one with `GET /v1/realtime-token`.',
}

async function verified(token: string, against: Against, access: Kind): Promise<Verified> {
  const { payload, kid } = await checked(token, against, access)
  const { iat = 0, exp = 0 } = payload
  const narrow = narrowOf(payload)
  // A token for the whole account and one that is narrower are never taken for each other.
  const restricted = narrow !== undefined && (narrow.scope !== undefined || narrow.away === true)
  if (payload.aud === full_audience ? narrow !== undefined : !restricted)
    throw problem('invalid_token', { detail: access.says })
  const facts = {
    ...factsOf(payload),
    expires_at: exp,
    ...(narrow ? { narrow } : {}),
    ...(payload.aud === against.mcp ? { mcp: true as const } : {}),
  }
  return { token, facts, iat, exp, kid }
}

function claimsOf({ scope, client_id, away }: NarrowFacts): JWTPayload {
  return {
    ...(scope && { scope: scope.join(' ') }),
    ...(client_id !== null && { client_id }),
    ...(away && { bound: true }),
  }
}

function narrowOf(payload: JWTPayload): ReadFacts['narrow'] {
  const { scope, client_id, bound } = payload as Record<string, unknown>
  if (scope === undefined && client_id === undefined && bound === undefined) return undefined
  return {
    ...(typeof scope === 'string' ? { scope: new Set(scope.split(' ').filter(Boolean)) } : {}),
    ...(typeof client_id === 'string' ? { client_id } : {}),
    ...(bound === true ? { away: true } : {}),
  }
}

/**
 * The clock of the process that signed was ahead. Such a token would be accepted for longer than its
 * session is remembered as revoked.
 */
function isAhead(iat: number, now_seconds: number): boolean {
  return iat > now_seconds + margin_seconds - leeway_seconds
}

async function checked(token: string, { keys, issuer, now_ms }: Against, kind: Kind) {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : keys.verifier(kid)
        if (!key) throw new Error('the key is not known')
        return key
      },
      {
        algorithms: ['ES256'],
        issuer,
        audience: [...kind.audiences],
        typ: kind.typ,
        clockTolerance: leeway_seconds,
        currentDate: new Date(now_ms),
        requiredClaims: [...kind.claims],
      },
    )
    // Our tokens never have a list as audience, another spelling of the type, or an extension.
    const { typ, crit, kid = '' } = protectedHeader
    const ours = typeof payload.aud === 'string' && kind.audiences.includes(payload.aud)
    if (!ours || typ !== kind.typ || crit) throw new Error('not ours')
    if (isAhead(payload.iat ?? 0, now_ms / 1000)) throw new Error('it was signed later than now')
    return { payload, kid }
  } catch (cause) {
    // Only a token with our signature gets the error that it has expired.
    if (cause instanceof errors.JWTExpired) throw expired(cause)
    throw problem('invalid_token', { detail: kind.says }, { cause })
  }
}

function expired(cause?: Error) {
  const detail = 'The access token has expired. Refresh the session, or log in again.'
  return problem('invalid_token', { detail }, { cause })
}

function factsOf(payload: JWTPayload): TokenFacts {
  const { sub, sid, tid, aal, amr, auth_time } = payload as Record<string, unknown>
  return {
    account_id: String(sub),
    session_id: String(sid),
    tenant_id: String(tid),
    aal: aal === 'aal2' ? 'aal2' : 'aal1',
    amr: Array.isArray(amr) ? amr.map(String) : [],
    auth_time: Number(auth_time),
  }
}
