/**
 * Logs a person in, with a password, a passkey or a mailed code, and returns a client that keeps the
 * session. When the access token has expired,
 * the client exchanges the refresh token, once for all waiting requests.
 */
import { createClient, endSession, type DodecaClient } from './client.ts'
import type { components, paths } from './schema.d.ts'
import type { ClientOptions } from './sending.ts'

type Schemas = components['schemas']
export type SecondFactor = Pick<Schemas['VerifyMfaChallengeBody'], 'code' | 'recovery_code'>
type LogInBody = Schemas['LogInBody']
export type SecondFactorRequired = Schemas['MfaRequired']

/** The data to continue a session later. Keep it as secret as a password. */
export type SessionState = {
  readonly session_id: string
  readonly account_id: string
  readonly tenant_id: string
  readonly refresh_token: string
}

type Common = Omit<ClientOptions, 'token' | 'refresh'> & {
  /** Called with each new refresh token. The earlier one is no longer valid. */
  readonly keep?: (session: SessionState) => void | Promise<void>
  /**
   * Returns what `keep` has stored, so that two tabs use the newest token of their session. A token
   * that is used again after some seconds ends the session, because it might be stolen.
   */
  readonly load?: () => MaybeKept | Promise<MaybeKept>
}
type MaybeKept = SessionState | null | undefined

type Way =
  | { readonly email: string; readonly password: string }
  /** The browser asks the person for a passkey. */
  | { readonly passkey: true }
  /** The id that `loginCode` returned, and the code of the mail. */
  | { readonly code: { readonly id: string; readonly code: string } }

export type LoginOptions = Common &
  Way & {
    readonly tenant?: string
    readonly device_name?: string
    /**
     * Asks the person for a code. Without this function, an account with a second factor is refused.
     */
    readonly secondFactor?: (challenge: SecondFactorRequired) => Promise<SecondFactor>
  }

export type LoggedIn<P extends object = paths> = DodecaClient<P> & {
  readonly session: SessionState
  logout(): Promise<void>
}

export class SecondFactorMissing extends Error {
  override readonly name = 'SecondFactorMissing'
  readonly challenge: SecondFactorRequired
  constructor(challenge: SecondFactorRequired) {
    super('The account has a second factor. Pass `secondFactor`, which asks for its code.')
    this.challenge = challenge
  }
}

export async function login<P extends object = paths>(options: LoginOptions): Promise<LoggedIn<P>> {
  const { tenant, device_name, secondFactor, ...rest } = options
  const { body, common } = await wayOf(rest)
  const anonymous = createClient(common)
  const { data } = await anonymous.POST('/v1/sessions', {
    body: {
      ...body,
      ...(tenant === undefined ? {} : { tenant }),
      ...(device_name === undefined ? {} : { device_name }),
    },
  })
  if (!('status' in data)) return keep(common, data)
  if (!secondFactor) throw new SecondFactorMissing(data)
  const proof = await secondFactor(data)
  const prover = createClient({ ...common, token: data.login_token })
  const verified = await prover.POST('/v1/mfa/challenges/{challenge_id}/verify', {
    params: { path: { challenge_id: data.challenge.challenge_id } },
    body: proof,
  })
  return keep(common, verified.data as Schemas['SessionTokens'])
}

async function wayOf(options: Common & Way): Promise<{ body: LogInBody; common: Common }> {
  if ('passkey' in options) {
    const { passkey: _passkey, ...common } = options
    return { body: { passkey: await askPasskey(common) }, common }
  }
  if ('code' in options) {
    const { code: login_code, ...common } = options
    return { body: { login_code }, common }
  }
  const { email, password, ...common } = options
  return { body: { email, password }, common }
}

/** What browsers have, and other runtimes have not. */
type WithPasskeys = {
  readonly navigator?: {
    readonly credentials?: {
      get(options: { publicKey: unknown }): Promise<{ toJSON?(): unknown } | null>
    }
  }
  readonly PublicKeyCredential?: { parseRequestOptionsFromJSON?(options: unknown): unknown }
}

async function askPasskey(common: Common): Promise<NonNullable<LogInBody['passkey']>> {
  const { navigator, PublicKeyCredential } = globalThis as WithPasskeys
  const parsed = PublicKeyCredential?.parseRequestOptionsFromJSON?.bind(PublicKeyCredential)
  if (!navigator?.credentials || !parsed) {
    throw new Error('This runtime has no passkeys. Log in in another way.')
  }
  const { data } = await createClient(common).POST('/v1/passkey-options', {})
  const credential = await navigator.credentials.get({ publicKey: parsed(data.public_key) })
  return credential?.toJSON?.() as NonNullable<LogInBody['passkey']>
}

/** Mails a login code, and returns the id that `login` takes together with it. */
export async function loginCode(
  options: Omit<Common, 'keep'> & {
    readonly email: string
    readonly tenant?: string
    readonly locale?: string
  },
): Promise<string> {
  const { email, tenant, locale, ...common } = options
  const body = { email, ...(tenant && { tenant }), ...(locale && { locale }) }
  const { data } = await createClient(common).POST('/v1/login-codes', { body })
  return data.id
}

/** Continues a session that `keep` has stored. */
export function resume<P extends object = paths>(
  options: Common & { readonly session: SessionState },
): LoggedIn<P> {
  const { session, ...common } = options
  return clientOf(common, session)
}

async function keep<P extends object>(
  common: Common,
  tokens: Schemas['SessionTokens'],
): Promise<LoggedIn<P>> {
  const session = stateOf(tokens)
  await common.keep?.(session)
  return clientOf(common, session, tokens.access_token)
}

function clientOf<P extends object>(
  common: Common,
  given: SessionState,
  token?: string,
): LoggedIn<P> {
  let session = given
  const anonymous = createClient(common)
  const { session_id } = given
  const params = { path: { session_id } }
  const refresh = async (): Promise<string> => {
    const kept = await common.load?.()
    const same = kept?.session_id === session_id
    if (same) session = kept
    const body = { refresh_token: session.refresh_token }
    const { data } = await anonymous.POST('/v1/sessions/{session_id}/refresh', { params, body })
    session = stateOf(data)
    // Another tab may have logged out, or somebody else in, and that is what stays.
    if (same || !common.load) await common.keep?.(session)
    return data.access_token ?? ''
  }
  const client = createClient({
    ...common,
    refresh: () => oneTab(`dodeca session ${session_id}`, refresh),
    ...(token === undefined ? {} : { token }),
  })
  return Object.defineProperty(
    {
      ...client,
      logout: () => endSession(client, session_id),
    },
    'session',
    { get: () => session, enumerable: true },
  ) as unknown as LoggedIn<P>
}

type Locks = { request<T>(name: string, act: () => Promise<T>): Promise<T> }

/** Each tab begins with what the tab before it has kept. Pages without https have no locks. */
function oneTab<T>(name: string, act: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {}
  return locks ? locks.request(name, act) : act()
}

function stateOf(tokens: Schemas['SessionTokens']): SessionState {
  const { session_id, account_id, tenant_id, refresh_token = '' } = tokens
  return { session_id, account_id, tenant_id, refresh_token }
}
