/**
 * Reads the request with which an application sends a person here (RFC 6749, 4.1.1; RFC 7636; RFC
 * 8707; OpenID Connect Core, 3.1.2.1). Until the client and its redirect URI are known, an error is
 * shown here and leads nowhere. From then on it is told to the application.
 */
import { limit, Problem } from '#dodeca/kernel'
import {
  findClient,
  findResource,
  type Client,
  type FoundResource,
} from '../clients/find-client.ts'
import { isLoopbackRedirect } from '../clients/redirect-uris.ts'
import type { Deps } from '../deps.ts'
import { issuerOf } from '../keys/access-tokens.ts'
import { formOf, type OAuthForm } from './read-form.ts'

/** The parameters that are read, and kept in the form of the page. */
const names = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'nonce',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'acr_values',
  'request',
  'request_uri',
] as const

/** It travels through the log-in as a part of an address, and of a cookie. */
const length_max = limit(
  'identity.authorization_request',
  1900,
  'characters',
  'Longest request of an application to log a person in',
)
const scopes_max = limit(
  'identity.scopes',
  20,
  'words',
  'Scopes that an application asks for at once',
)
const prompts = ['none', 'login', 'consent', 'select_account']

export type Asked = {
  readonly client: Client
  readonly redirect_uri: string
  readonly scope: readonly string[]
  readonly resource: FoundResource
  readonly code_challenge: string
  readonly nonce: string | null
  readonly prompt: ReadonlySet<string>
  readonly max_age: number | null
  readonly acr_values: readonly string[]
}

const descriptions = {
  access_denied: 'The person refused, or may not give this application what it asks for.',
  consent_required: 'The person has to be asked. Send them without prompt=none.',
  interaction_required: 'The person has to do something first. Send them without prompt=none.',
  invalid_request:
    'A parameter is missing or has an invalid value. S256 with a code_challenge of 43 characters is required, and response_mode is query.',
  invalid_scope:
    'The scope is empty, has more than 20 words, or has a word that the client may not ask for or that the resource does not have.',
  invalid_target: 'No API has this resource, or this client gets no tokens for it.',
  login_required: 'The person is not logged in. Send them without prompt=none.',
  request_not_supported: 'Send the parameters as they are, without request.',
  request_uri_not_supported: 'Send the parameters as they are, without request_uri.',
  unsupported_response_type: 'The response_type is code.',
} as const

export type OAuthCode = keyof typeof descriptions

/** Where the answer goes, and the parameters with which the page continues. */
export type Way = { readonly back: Back; readonly given: OAuthForm }
export type Back = (answer: { code: string } | { error: OAuthCode }) => string

export type Read =
  | { readonly kind: 'unknown'; readonly why: 'client' | 'redirect' | 'request' }
  | ({ readonly kind: 'refused'; readonly error: OAuthCode } & Way)
  | ({ readonly kind: 'asked'; readonly asked: Asked } & Way)

export async function readAuthorization(deps: Deps, sent: URLSearchParams): Promise<Read> {
  const given = parametersIn(sent)
  if (!given) return { kind: 'unknown', why: 'request' }
  const { client_id, redirect_uri, state } = given
  const client = client_id && (await findClient(deps.kernel.db, deps, client_id))
  if (!client) return { kind: 'unknown', why: 'client' }
  const registered = client.redirect_uris.some(one => isSame(one, redirect_uri ?? ''))
  if (!redirect_uri || !registered || !hasPlainHost(redirect_uri)) {
    return { kind: 'unknown', why: 'redirect' }
  }
  const back: Back = answer => {
    const why = 'error' in answer ? { error_description: descriptions[answer.error] } : {}
    const more = { ...answer, ...why, ...(state ? { state } : {}), iss: issuerOf(deps.kernel) }
    return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${new URLSearchParams(more)}`
  }
  const checked = await check(deps, client, given)
  return typeof checked === 'string'
    ? { kind: 'refused', error: checked, back, given }
    : { kind: 'asked', asked: { ...checked, client, redirect_uri }, back, given }
}

function parametersIn(sent: URLSearchParams): OAuthForm | undefined {
  const known = [...sent].filter(([name]) => (names as readonly string[]).includes(name))
  const given = new URLSearchParams(known)
  if (given.toString().length > length_max) return undefined
  try {
    return formOf(given)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** The host becomes a part of the policy of the page, so it has no character of its syntax. */
function hasPlainHost(redirect_uri: string): boolean {
  const { host, protocol } = new URL(redirect_uri)
  return !protocol.startsWith('http') || /^[a-z0-9.:[\]-]+$/.test(host)
}

/** Exactly this address; the port of a loopback address is the application's choice (RFC 8252). */
function isSame(registered: string, given: string): boolean {
  if (registered === given) return true
  if (!isLoopbackRedirect(registered) || !isLoopbackRedirect(given)) return false
  return withoutPort(registered) === withoutPort(given)
}

function withoutPort(address: string): string {
  return address.replace(/^(http:\/\/[^/?#]+?):\d{1,5}(?=[/?]|$)/, '$1')
}

type Checked = Omit<Asked, 'client' | 'redirect_uri'>

async function check(deps: Deps, client: Client, given: OAuthForm): Promise<Checked | OAuthCode> {
  const { code_challenge = '', max_age, nonce = null, response_mode = 'query' } = given
  if (given['response_type'] !== 'code') return 'unsupported_response_type'
  if (given['request'] !== undefined) return 'request_not_supported'
  if (given['request_uri'] !== undefined) return 'request_uri_not_supported'
  const s256 = given['code_challenge_method'] === 'S256'
  if (!s256 || !/^[A-Za-z0-9_-]{43}$/.test(code_challenge)) return 'invalid_request'
  if (response_mode !== 'query' || (max_age !== undefined && !/^\d{1,9}$/.test(max_age))) {
    return 'invalid_request'
  }
  const prompt = new Set(wordsIn(given['prompt']))
  const alone = prompt.has('none') && prompt.size > 1
  if (alone || [...prompt].some(one => !prompts.includes(one))) return 'invalid_request'
  const resource = await resourceOf(deps, client, given['resource'])
  if (!resource) return 'invalid_target'
  const scope = [...new Set(wordsIn(given['scope']))]
  if (!mayAsk(client, resource, scope)) return 'invalid_scope'
  return {
    scope,
    resource,
    code_challenge,
    nonce,
    prompt,
    max_age: max_age === undefined ? null : Number(max_age),
    acr_values: wordsIn(given['acr_values']),
  }
}

async function resourceOf(deps: Deps, client: Client, resource: string | undefined) {
  const asked = resource ?? `${deps.kernel.public_url}/v1`
  return await findResource(deps.kernel.db, deps, asked, client)
}

/** The words of OpenID are for every API, the others are those of one. */
function mayAsk(client: Client, { scopes }: FoundResource, asked: readonly string[]): boolean {
  if (asked.length === 0 || asked.length > scopes_max) return false
  const own = new Set(scopes?.map(({ name }) => name))
  const declared = client.scopes.filter(word => scopes === null || !word.includes('.'))
  return asked.every(word => own.has(word) || declared.includes(word))
}

function wordsIn(text: string | undefined): string[] {
  return text?.split(' ').filter(Boolean) ?? []
}
