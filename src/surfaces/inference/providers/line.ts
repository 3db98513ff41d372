/**
 * The connection to one model at one address, with a separate pool, circuit and retry budget. So a
 * failing model stops only itself.
 */
import type { Buffer } from 'node:buffer'
import { circuit_defaults, openUpstream, type CircuitState } from '#dodeca/kernel'
import type { Call, Limits } from './call.ts'
import { sendRequest, type ProviderCall } from './send-request.ts'

export type Line = {
  send(call: Call, request: ProviderCall): Promise<AsyncIterable<Buffer>>
  circuit(): CircuitState
  close(): Promise<void>
}

export type LineOptions = {
  readonly name: string
  readonly base_url: string
  readonly api_key: string
  readonly limits: Limits
  readonly breaker_open_ms: number
}

const circuit = { ...circuit_defaults, least_calls: 10, window_ms: 30_000, failures_in_row: 5 }
const connections = 64

export function openLine({ name, base_url, api_key, limits, breaker_open_ms }: LineOptions): Line {
  const upstream = openUpstream({
    name,
    base_url,
    attempt_timeout_ms: limits.attempt_timeout_ms,
    retries: 0,
    connections,
    circuit: { ...circuit, open_ms: breaker_open_ms },
    rate_limited_weight: 0.5,
  })
  const headers = {
    accept: 'application/json',
    // Some servers require one even if they have no keys.
    authorization: `Bearer ${api_key || 'none'}`,
    'user-agent': 'dodeca/1',
  }
  return {
    send: (call, request) => sendRequest(upstream, headers, call, request),
    circuit: upstream.circuit,
    close: upstream.close,
  }
}
