/**
 * Applications that are not registered here: their `client_id` is the https address of a document
 * that they publish about themselves. It is fetched like any address of a stranger, and kept as long
 * as its headers say. A document has no secret, so anybody may use its id; what protects people is
 * that a code only goes to the addresses in it, and that they are always asked.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  boundedCache,
  openLocalRate,
  SafeFetchFailure,
  text,
  type Log,
  type PermissionCatalog,
  type ResponseHeaders,
} from '#dodeca/kernel'
import { openCalls } from '../oidc/addresses.ts'
import type { Kernel } from '../settings.ts'
import { askableScopes, type Client } from './client.ts'
import { isPlainName } from './plain-name.ts'
import { redirectFault } from './redirect-uris.ts'

const id_length_max = 300
const document_bytes_max = 8 * 1024
const fetch_ms_max = 5000
const documents_max = 1000
const life_seconds_min = 300
const life_seconds_max = 86_400
/** A document that could not be used is not fetched again for this time. */
const pause_ms = 30_000
/** So that a stranger cannot make this platform send many requests to another server. */
const per_host_a_minute = 30

const Document = Type.Object({
  client_id: Type.String(),
  client_name: text(100),
  redirect_uris: Type.Array(text(500), { minItems: 1, maxItems: 20 }),
  token_endpoint_auth_method: Type.Optional(Type.Literal('none')),
  client_uri: Type.Optional(text(300)),
  scope: Type.Optional(Type.String()),
  // A published secret is none.
  client_secret: Type.Optional(Type.Never()),
})

export type ClientDocuments = {
  /** Undefined if the document cannot be used. */
  find(client_id: string): Promise<Client | undefined>
}

type Needs = {
  readonly kernel: Pick<Kernel, 'profile' | 'settings' | 'log'>
  readonly permissions: PermissionCatalog
}
type Kept = { readonly client: Client | undefined }

export function isDocumentId(client_id: string): boolean {
  return /^https:/i.test(client_id)
}

export function openClientDocuments({ kernel, permissions }: Needs): ClientDocuments {
  const { log, profile, settings } = kernel
  const kept = boundedCache<Kept>(documents_max)
  const fetching = new Map<string, Promise<Client | undefined>>()
  const rate = openLocalRate({ many: per_host_a_minute, per_ms: 60_000 })
  const words = new Set(askableScopes(permissions))
  const fetched = async (id: string, url: URL): Promise<Client | undefined> => {
    const safeFetch = openCalls([url], profile)
    try {
      const { status, headers, body } = await safeFetch(id, {
        headers: { accept: 'application/json' },
        max_redirects: 0,
        max_body_bytes: document_bytes_max,
        over_limit: 'fail',
        deadline_ms: fetch_ms_max,
      })
      const json = isJson(headers) && status === 200 ? parsed(body) : undefined
      const client = clientOf(id, json, words, profile)
      const ttl = client ? lifeOf(headers) * 1000 : pause_ms
      kept.set(id, { client }, { ttl })
      return client
    } catch (error) {
      if (!(error instanceof SafeFetchFailure)) throw error
      tell(log, id, error)
      kept.set(id, { client: undefined }, { ttl: pause_ms })
      return undefined
    } finally {
      safeFetch.close()
    }
  }
  return {
    find: async id => {
      const url = settings['identity.client_documents'] ? documentUrl(id) : null
      if (!url) return undefined
      const known = kept.get(id)
      if (known) return known.client
      const running = fetching.get(id)
      if (running) return await running
      if (rate.take(url.host) > 0) return undefined
      const begun = fetched(id, url).finally(() => fetching.delete(id))
      fetching.set(id, begun)
      return await begun
    },
  }
}

/** Only one spelling, so that two ids are never one document. */
function documentUrl(id: string): URL | null {
  const url = id.length <= id_length_max ? URL.parse(id) : null
  if (url?.href !== id || url.protocol !== 'https:' || url.pathname === '/') return null
  return url.username || url.password || id.includes('#') ? null : url
}

function isJson(headers: ResponseHeaders): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // What is no JSON is no document.
    return undefined
  }
}

function clientOf(
  id: string,
  json: unknown,
  words: ReadonlySet<string>,
  profile: Kernel['profile'],
): Client | undefined {
  if (!Value.Check(Document, json) || json.client_id !== id) return undefined
  const { client_name, redirect_uris, client_uri, scope } = json
  if (!isPlainName(client_name)) return undefined
  if (redirect_uris.some(uri => redirectFault(uri, 'native', profile))) return undefined
  const asked = scope?.split(' ').filter(word => words.has(word))
  const page = client_uri === undefined ? null : URL.parse(client_uri)
  return {
    client_id: id,
    tenant_id: null,
    name: client_name,
    type: 'native',
    redirect_uris,
    scopes: asked ?? [...words],
    first_party: false,
    document: true,
    // The page of another site would make people trust it.
    uri: page?.protocol === 'https:' && page.host === new URL(id).host ? page.href : null,
  }
}

/** How long a document is kept, in seconds. */
export function lifeOf(headers: ResponseHeaders): number {
  const said = headers['cache-control'] ?? ''
  const age = /(?:^|[\s,])no-(?:store|cache)\b/i.test(said)
    ? 0
    : Number(/(?:^|[\s,])max-age=(\d{1,9})\b/i.exec(said)?.[1] ?? 0)
  return Math.min(Math.max(age, life_seconds_min), life_seconds_max)
}

function tell(log: Log, client_id: string, { reason }: SafeFetchFailure): void {
  log.info({ client_id, reason }, 'the document of a client could not be fetched')
}
