/**
 * Reads the metadata of a provider, and makes the client for it. Every call uses `safeFetch`, because
 * a provider chooses its own endpoints.
 */
import {
  allowInsecureRequests,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ClientAuth,
  type CustomFetch,
  type FetchBody,
  type ServerMetadata,
} from 'openid-client'
import type { SafeFetch } from '#dodeca/kernel'
import { appleSecret } from './apple-secret.ts'
import type { Provider } from './providers.ts'

/**
 * The algorithms exclude `none` and shared secrets, because these cannot prove that the provider
 * signed.
 */
const signing_algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
]
const call_ms_max = 10_000
const answer_bytes_max = 256 * 1024

export async function discover(provider: Provider, safeFetch: SafeFetch): Promise<Configuration> {
  const fetchOut = fetchThrough(safeFetch)
  const { issuer, client_id, client_secret } = provider
  const plain = issuer.protocol === 'http:'
  // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out; only for this machine
  const permits: ((one: Configuration) => void)[] = plain ? [allowInsecureRequests] : []
  const found = await discovery(issuer, client_id, undefined, None(), {
    [customFetch]: fetchOut,
    execute: permits,
  })
  const server: ServerMetadata = { ...found.serverMetadata() }
  requirePage(server.authorization_endpoint, plain)
  const offered = server.id_token_signing_alg_values_supported ?? ['RS256']
  const configuration = new Configuration(
    {
      ...server,
      id_token_signing_alg_values_supported: offered.filter(one =>
        signing_algorithms.includes(one),
      ),
    },
    client_id,
    client_secret === null ? undefined : { client_secret },
    clientAuthOf(provider, server),
  )
  configuration[customFetch] = fetchOut
  configuration.timeout = call_ms_max / 1000
  for (const permit of permits) permit(configuration)
  // The provider's keys are cached with the configuration. For an unknown key they are fetched
  // again, at most once a minute.
  enableNonRepudiationChecks(configuration)
  return configuration
}

/** People are led to this address, so it must not be a script. */
function requirePage(address: string | undefined, plain: boolean): void {
  const { protocol } = new URL(address ?? 'about:blank')
  if (protocol === 'https:' || (plain && protocol === 'http:')) return
  throw new ClientError('the authorization endpoint is not a page')
}

function clientAuthOf(
  { client_id, client_secret, client_auth, apple }: Provider,
  { token_endpoint_auth_methods_supported: known = ['client_secret_basic'] }: ServerMetadata,
): ClientAuth {
  if (apple) {
    // A new one for each exchange: nothing that was sent before is of use again.
    return (_server, _client, body) => {
      body.set('client_id', client_id)
      body.set('client_secret', appleSecret(apple, client_id))
    }
  }
  if (client_secret === null) return None()
  const basic = client_auth ? client_auth === 'basic' : known.includes('client_secret_basic')
  return basic ? ClientSecretBasic(client_secret) : ClientSecretPost(client_secret)
}

function fetchThrough(safeFetch: SafeFetch): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await safeFetch(url, {
      method,
      headers,
      body: textOf(body),
      max_redirects: 0,
      max_body_bytes: answer_bytes_max,
      over_limit: 'fail',
      deadline_ms: call_ms_max,
      ...(signal ? { signal } : {}),
    })
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    const bare = answer.status === 204 || answer.status === 304
    return new Response(bare ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: received,
    })
  }
}

function textOf(body: FetchBody): string | null {
  if (body === null || body === undefined) return null
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new Error('only forms are sent to a provider')
}
