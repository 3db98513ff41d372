/**
 * PayPal's HTTP API: JSON, with a token that is renewed before it ends. A request that is refused
 * because of its token was not carried out, so it is sent once more with a new one.
 */
import { Buffer } from 'node:buffer'
import { openUpstream } from '#dodeca/kernel'
import { failureOf, failureOfReply } from './paypal-failures.ts'
import { ProviderFailure } from './port.ts'

export type PayPalClient = {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object, key: string | null): Promise<T>
  close(): Promise<void>
}

/** Has one account's client do something. */
export type Call = <T>(work: (paypal: PayPalClient) => Promise<T>) => Promise<T>
export const part = (id: string) => encodeURIComponent(id)

export type PayPalKeys = { readonly client_id: string; readonly client_secret: string }

const reply_bytes = 16 * 1024 * 1024
const token_path = '/v1/oauth2/token'
/** A token is not used in the last minute of its life. */
const spare_seconds = 60

export function openPayPalClient(
  { client_id, client_secret }: PayPalKeys,
  address: string,
  timeout_ms: number,
): PayPalClient {
  const upstream = openUpstream({
    name: 'paypal',
    base_url: new URL(address).origin,
    attempt_timeout_ms: timeout_ms,
    retries: 0,
    max_body_bytes: reply_bytes,
    circuit: { least_calls: Number.POSITIVE_INFINITY },
  })
  const send = async (method: string, path: string, body: string | null, headers: object) => {
    const request = { method, path, body, headers: { accept: 'application/json', ...headers } }
    const { status, body: answer } = await upstream.call({
      ...request,
      idempotent: true,
      deadline_ms: timeout_ms,
    })
    if (status >= 300) throw failureOfReply(status, answer)
    // A payment that was voided has no body.
    return answer.length === 0 ? {} : (JSON.parse(answer.toString('utf8')) as object)
  }
  const tokens = openTokens(async () => {
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
    const headers = {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    try {
      return await send('POST', token_path, 'grant_type=client_credentials', headers)
    } catch (error) {
      // Whatever happens to a token, no money moves.
      throw new ProviderFailure('not_sent', failureOf(error).code, { cause: error })
    }
  })
  const ask = async (...[method, path, body, headers]: Parameters<typeof send>) => {
    const once = async (token: string) =>
      await send(method, path, body, { ...headers, authorization: `Bearer ${token}` })
    try {
      const token = await tokens.get()
      try {
        return await once(token)
      } catch (error) {
        if (failureOf(error).code !== 'provider_unauthorized') throw error
        tokens.forget(token)
        return await once(await tokens.get())
      }
    } catch (error) {
      throw failureOf(error)
    }
  }
  return {
    get: async <T>(path: string) => (await ask('GET', path, null, {})) as T,
    post: async <T>(path: string, body: object, key: string | null) => {
      const headers = {
        'content-type': 'application/json',
        prefer: 'return=representation',
        ...(key === null ? {} : { 'paypal-request-id': key }),
      }
      return (await ask('POST', path, JSON.stringify(body), headers)) as T
    },
    close: upstream.close,
  }
}

type Token = { readonly access_token?: unknown; readonly expires_in?: unknown }

/** One request for a token at a time. */
function openTokens(fetchToken: () => Promise<Token>) {
  let held: { readonly token: string; readonly until_ms: number } | undefined
  let under_way: Promise<string> | undefined
  const renew = async (): Promise<string> => {
    const { access_token, expires_in } = await fetchToken()
    if (typeof access_token !== 'string' || access_token === '') {
      throw new ProviderFailure('not_sent', 'token_unreadable')
    }
    const lives_seconds = Math.max(1, (Number(expires_in) || 0) - spare_seconds)
    held = { token: access_token, until_ms: performance.now() + lives_seconds * 1000 }
    return access_token
  }
  return {
    get: async (): Promise<string> => {
      if (held && performance.now() < held.until_ms) return held.token
      under_way ??= renew().finally(() => {
        under_way = undefined
      })
      return await under_way
    },
    forget: (token: string) => {
      if (held?.token === token) held = undefined
    },
  }
}
