/**
 * Logins at a provider that speaks OAuth 2.0 without OpenID: the code is exchanged for an access
 * token, with which the provider is asked who the person is. Nothing that it answers is signed, so
 * everything comes straight from its own endpoints, bounded in time and size. The `state`, the
 * callback of its own and PKCE keep codes of others out.
 */
import { createHash } from 'node:crypto'
import type { SafeFetch } from '#dodeca/kernel'
import type { OpenedConnection } from '../connections/connection.ts'
import type { Endpoints, FieldNames } from '../connections/presets.ts'
import { verifierOf } from './browser-binding.ts'
import {
  assertedBy,
  verifiedBy,
  type Asserted,
  type Party,
  type Returned,
  type Way,
} from './party.ts'

export type OAuth2Provider = {
  readonly name: string
  /** The issuer of its identities. */
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string
  readonly endpoints: Endpoints
  readonly fields: FieldNames
  readonly scopes: readonly string[]
  readonly pkce: boolean
  readonly trust_email: boolean
  /** What it means that the provider says nothing about an address. */
  readonly unsaid: false | null
  /** What it calls itself in `iss`, if that is known. */
  readonly iss: string | null
}

type Members = Readonly<Record<string, unknown>>

const subject_form = /^[\x20-\x7e]{1,255}$/
const call_ms_max = 10_000
const answer_bytes_max = 256 * 1024
const emails_max = 100

export function openOAuth2Party(
  provider: OAuth2Provider,
  safeFetch: SafeFetch,
  connection: OpenedConnection | null = null,
): Party {
  return {
    name: provider.name,
    connection,
    ready: () => Promise.resolve(),
    leadTo: way => Promise.resolve(addressOf(provider, way)),
    prove: async (way, returned) => {
      const access_token = await exchange(provider, safeFetch, way, returned)
      return await personOf(provider, safeFetch, access_token)
    },
  }
}

function addressOf({ endpoints, ...client }: OAuth2Provider, way: Way): string {
  const { redirect_uri, secret, state } = way
  const url = new URL(endpoints.authorization)
  const challenge = createHash('sha256').update(verifierOf(secret, state)).digest('base64url')
  const asked = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri,
    scope: client.scopes.join(' '),
    state,
    ...(client.pkce ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

async function exchange(
  { endpoints, client_id, client_secret, pkce, iss }: OAuth2Provider,
  safeFetch: SafeFetch,
  { redirect_uri, secret, state }: Way,
  { code, error, ...returned }: Returned,
): Promise<string> {
  if (returned.iss !== undefined && iss !== null && returned.iss !== iss) {
    throw failure('OAUTH_INVALID_RESPONSE', 'the response is of another issuer')
  }
  if (error !== undefined) throw failure('OAUTH_AUTHORIZATION_RESPONSE_ERROR', error, { error })
  if (code === undefined) throw failure('OAUTH_INVALID_RESPONSE', 'the response has no code')
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    client_id,
    client_secret,
    ...(pkce ? { code_verifier: verifierOf(secret, state) } : {}),
  })
  const answer = await ask(safeFetch, endpoints.token, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  const { access_token, token_type = 'bearer' } = membersOf(answer)
  const bearer = typeof token_type === 'string' && token_type.toLowerCase() === 'bearer'
  if (typeof access_token !== 'string' || access_token === '' || !bearer) {
    // GitHub says with status 200 that it refuses a code.
    throw failure('OAUTH_TOKEN_REFUSED', 'the answer holds no access token')
  }
  return access_token
}

async function personOf(
  { endpoints, fields, issuer, trust_email, unsaid }: OAuth2Provider,
  safeFetch: SafeFetch,
  access_token: string,
): Promise<Asserted> {
  const headers = { authorization: `Bearer ${access_token}` }
  const claims = membersOf(await ask(safeFetch, endpoints.userinfo, { headers }))
  const subject = subjectOf(claims[fields.subject])
  const { email, verified } = endpoints.emails
    ? primaryAddress(await ask(safeFetch, endpoints.emails, { headers }))
    : {
        email: fields.email && claims[fields.email],
        verified: fields.email_verified
          ? (verifiedBy(claims[fields.email_verified]) ?? false)
          : unsaid,
      }
  const name = fields.name && claims[fields.name]
  return assertedBy({ issuer, subject, email, verified, name, claims }, trust_email)
}

/** A number beyond the safe integers was rounded, and could be the subject of another person. */
function subjectOf(value: unknown): string {
  const subject = Number.isSafeInteger(value) ? String(value) : value
  if (typeof subject === 'string' && subject_form.test(subject)) return subject
  throw failure('OAUTH_INVALID_RESPONSE', 'the answer has no usable subject')
}

/**
 * The primary address. Others are verified too, but may be without a reader, as those
 * that GitHub makes to hide an address.
 */
function primaryAddress(answer: unknown): { email: unknown; verified: boolean } {
  if (!Array.isArray(answer)) throw failure('OAUTH_INVALID_RESPONSE', 'the answer is no list')
  const primary = answer
    .slice(0, emails_max)
    .filter((one): one is Members => one !== null && typeof one === 'object')
    .find(one => one['primary'] === true)
  return { email: primary?.['email'], verified: primary?.['verified'] === true }
}

type Asked = Parameters<SafeFetch>[1]

async function ask(safeFetch: SafeFetch, url: string, asked: Asked): Promise<unknown> {
  const { status, body } = await safeFetch(url, {
    ...asked,
    // GitHub refuses calls without a name, and answers a form unless it is asked for JSON.
    headers: { accept: 'application/json', 'user-agent': 'dodeca', ...asked?.headers },
    max_redirects: 0,
    max_body_bytes: answer_bytes_max,
    over_limit: 'fail',
    deadline_ms: call_ms_max,
  })
  if (status !== 200) throw failure('OAUTH_RESPONSE_IS_NOT_CONFORM', `it answered ${status}`)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw failure('OAUTH_RESPONSE_IS_NOT_JSON', 'the answer is not JSON', { cause })
  }
}

function membersOf(answer: unknown): Members {
  if (answer !== null && typeof answer === 'object' && !Array.isArray(answer)) {
    return answer as Members
  }
  throw failure('OAUTH_INVALID_RESPONSE', 'the answer is not an object')
}

/** With the codes that the OpenID client uses for the same failures. */
function failure(code: string, says: string, more: object = {}): Error {
  return Object.assign(new Error(says), { code, ...more })
}
