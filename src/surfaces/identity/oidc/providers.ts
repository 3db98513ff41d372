/**
 * The identity providers that the operator trusts, and the redirect URIs that a login may use. Both
 * are checked when the process starts, so that the operator sees a mistake before a person logs in.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { closed, StartError, text, type Deployment } from '#dodeca/kernel'
import type { AppleKey } from './apple-secret.ts'
import { isLoopbackHost, providerUrl } from './addresses.ts'

const name_pattern = '^[a-z0-9][a-z0-9_-]{0,39}$'
export const ProviderName = Type.String({ pattern: name_pattern, minLength: 1, maxLength: 40 })

const Entry = closed({
  name: ProviderName,
  issuer: text(500),
  client_id: text(500),
  client_secret: Type.Optional(text(1000)),
  client_auth: Type.Optional(Type.Union([Type.Literal('basic'), Type.Literal('post')])),
  scopes: Type.Optional(Type.Array(text(100), { maxItems: 50 })),
  trust_email: Type.Optional(Type.Boolean()),
  allow: Type.Optional(Type.Array(text(100), { maxItems: 50 })),
})
type Entry = Static<typeof Entry>

export type Provider = {
  readonly name: string
  readonly issuer: URL
  readonly client_id: string
  /** Null for a public client. Only PKCE protects the codes of such a client. */
  readonly client_secret: string | null
  /** Null to use the value in the provider's metadata. */
  readonly client_auth: 'basic' | 'post' | null
  readonly scope: string
  /** Whether the addresses that this provider has verified are trusted. */
  readonly trust_email: boolean
  /** The non-public addresses of the provider that calls may reach. */
  readonly allow: readonly string[]
  /** The issuer of its identities, if it is not the issuer of its tokens. */
  readonly identity_issuer?: string
  /** Instead of a client secret. The provider then leads back with a form. */
  readonly apple?: AppleKey
}

type Where = Pick<Deployment, 'profile'> & {
  readonly settings: {
    readonly 'identity.oidc_providers': string | null
    readonly 'identity.redirect_uris': readonly string[]
  }
}

const example =
  '[{"name":"acme","issuer":"https://login.example.com","client_id":"…","client_secret":"…"}]'
const default_scopes = ['openid', 'email', 'profile']

export function readProviders({ settings, profile }: Where): readonly Provider[] {
  const given = settings['identity.oidc_providers']?.trim()
  if (!given) return []
  const entries = parseEntries(given)
  const names = entries.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw refusal(`names "${twice}" twice. Give each provider its own name.`)
  return entries.map(entry => providerOf(entry, profile))
}

function parseEntries(given: string): readonly Entry[] {
  const inline = given.startsWith('[')
  const entries = parseJson(inline ? given : readGiven(given), inline)
  if (!Array.isArray(entries)) throw refusal(`must be a list, such as ${example}`)
  for (const [index, entry] of entries.entries()) {
    if (Value.Check(Entry, entry)) continue
    const [first] = Value.Errors(Entry, entry)
    const where = `entry ${index + 1}${first?.instancePath ? ` at ${first.instancePath}` : ''}`
    throw refusal(`is invalid in ${where}: it ${first?.message}. Write it like ${example}`)
  }
  return entries as Entry[]
}

/** The path is not shown, because a list with a mistake is taken for one, and it has secrets. */
function readGiven(path: string): string {
  try {
    // oxlint-disable-next-line node/no-sync -- once, at the start, before anything is served
    return readFileSync(resolve(path), 'utf8')
  } catch (error) {
    throw refusal(
      `is neither a list, such as ${example}, nor the path of a file that the platform may read`,
      error,
    )
  }
}

/** The parser's own message is not used, because it quotes the text with its secrets. */
function parseJson(json: string, inline: boolean): unknown {
  try {
    return JSON.parse(json)
  } catch {
    const what = inline ? 'is not valid JSON' : 'names a file that is not valid JSON'
    throw refusal(`${what}. Write it like ${example}`)
  }
}

function providerOf(entry: Entry, profile: Where['profile']): Provider {
  const about = `gives the provider "${entry.name}" the issuer ${entry.issuer}`
  if (!isIssuer(entry.issuer)) {
    throw refusal(`${about}, which is not a URL such as https://login.example.com.`)
  }
  const issuer = providerUrl(entry.issuer, profile)
  if (!issuer) {
    throw refusal(`${about}, which is not https. Only development may use http, on this machine.`)
  }
  return {
    name: entry.name,
    issuer,
    client_id: entry.client_id,
    client_secret: entry.client_secret ?? null,
    client_auth: entry.client_auth ?? null,
    scope: scopeOf(entry.scopes ?? default_scopes),
    trust_email: entry.trust_email ?? false,
    allow: entry.allow ?? [],
  }
}

export function isIssuer(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && !url.search && !url.hash && !url.username && !url.password
}

export function scopeOf(scopes: readonly string[]): string {
  return [...new Set(['openid', ...scopes])].join(' ')
}

/**
 * The redirect URIs of applications. A login may use them, and the account pages. They are compared as text, so each must be written
 * exactly as it is used.
 */
export function readRedirectUris({ settings }: Where): ReadonlySet<string> {
  const given = settings['identity.redirect_uris']
  for (const one of given) {
    if (mayReturnTo(one)) continue
    throw new StartError(
      `IDENTITY_REDIRECT_URIS names ${one}, which is not allowed. Use an https URL without a fragment, http on this machine, or an application's own scheme such as com.example.app:/login.`,
    )
  }
  return new Set(given)
}

function mayReturnTo(address: string): boolean {
  const url = URL.parse(address)
  if (!url || address.includes('#') || url.username || url.password) return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname)
  // A scheme with a dot belongs to the owner of that domain name; `javascript:` and similar schemes
  // have no dot.
  return url.protocol.includes('.')
}

function refusal(what: string, cause?: unknown): StartError {
  return new StartError(`IDENTITY_OIDC_PROVIDERS ${what}`, { cause })
}
