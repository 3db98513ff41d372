/**
 * Stripe's HTTP API: form-encoded requests, replies in JSON. The gate in front of it has the circuit
 * and the rates. So this client only sends, and sends once more after a closed connection.
 */
import { openUpstream, UpstreamFailure } from '#dodeca/kernel'
import { ProviderFailure } from './port.ts'
import { failureOf, failureOfReply } from './stripe-failures.ts'

export type StripeClient = {
  get<T>(path: string, params?: object): Promise<T>
  post<T>(path: string, params: object, key: string): Promise<T>
  del<T>(path: string, key: string): Promise<T>
  close(): Promise<void>
}

/** One call, whose failure is a `ProviderFailure`. */
export type Call = <T>(work: (stripe: StripeClient) => Promise<T>) => Promise<T>

/** Our views of Stripe's objects are written for this version of its API. */
const stripe_version = '2026-10-28.endive'
/** A page of 100 payments with their charges has about 1 MB. */
const reply_bytes = 64 * 1024 * 1024

export function openStripeClient(key: string, address: string, timeout_ms: number): StripeClient {
  const upstream = openUpstream({
    name: 'stripe',
    base_url: `${new URL(address).origin}/v1`,
    attempt_timeout_ms: timeout_ms,
    retries: 0,
    max_body_bytes: reply_bytes,
    circuit: { least_calls: Number.POSITIVE_INFINITY },
  })
  const common = {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    'stripe-version': stripe_version,
    'user-agent': 'dodeca/1',
  }
  const send = (method: string, path: string, body: string | null, headers: object) =>
    upstream.call({
      method,
      path,
      body,
      headers: { ...common, ...headers },
      idempotent: true,
      deadline_ms: timeout_ms,
    })
  const ask = async <T>(...request: Parameters<typeof send>): Promise<T> => {
    let again = false
    try {
      const { status, headers, body } = await send(...request).catch((error: unknown) => {
        // Stripe has closed an idle connection. Repeating changes nothing: a write has its key.
        again = wasClosed(error)
        if (!again) throw error
        return send(...request)
      })
      if (status >= 300) throw failureOfReply(status, body, headers['request-id'])
      return JSON.parse(body.toString('utf8')) as T
    } catch (error) {
      const failure = failureOf(error)
      if (!again || failure.kind !== 'not_sent') throw failure
      // The first request may have been carried out.
      throw new ProviderFailure('doubt', failure.code, { cause: failure })
    }
  }
  return {
    get: (path, params = {}) => {
      const query = encoded(params)
      return ask('GET', query === '' ? path : `${path}?${query}`, null, {})
    },
    post: (path, params, idempotency_key) =>
      ask('POST', path, encoded(params), {
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': idempotency_key,
      }),
    del: (path, idempotency_key) =>
      ask('DELETE', path, null, { 'idempotency-key': idempotency_key }),
    close: upstream.close,
  }
}

function wasClosed(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.reason === 'connect' && error.ambiguous
}

type Plain = string | number | boolean

/** `{ created: { gte: 1 }, expand: ['a'] }` is `created[gte]=1&expand[0]=a`. */
function encoded(params: object): string {
  return new URLSearchParams(entriesOf(params)).toString()
}

function entriesOf(params: object, prefix = ''): [string, string][] {
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) => {
    const path = prefix === '' ? name : `${prefix}[${name}]`
    if (value === undefined) return []
    return typeof value === 'object' ? entriesOf(value ?? {}, path) : [[path, `${value as Plain}`]]
  })
}
