/**
 * The connection to one model at one address, with a separate pool, circuit and retry budget. So a
 * failing model stops only itself.
 */
import type { Buffer } from 'node:buffer'
import { circuit_defaults, openUpstream } from '#dodeca/kernel'
import type { CircuitState } from '#dodeca/kernel'
import { openAuth, type Auth } from './auth.ts'
import type { Call, Limits } from './call.ts'
import type { AddressRules } from './own-hosts.ts'
import { sendRequest, type ProviderCall } from './send-request.ts'

export type Line = {
  send(call: Call, request: ProviderCall): Promise<AsyncIterable<Buffer>>
  circuit(): CircuitState
  close(): Promise<void>
}

export type LineOptions = {
  readonly name: string
  readonly base_url: string
  readonly auth: Auth
  /** For the provider of a tenant. */
  readonly addresses?: Pick<AddressRules, 'check'> | undefined
  readonly limits: Limits
  readonly breaker_open_ms: number
}

const circuit = { ...circuit_defaults, least_calls: 10, window_ms: 30_000, failures_in_row: 5 }
const connections = 64

export function openLine(options: LineOptions): Line {
  const { name, base_url, auth, addresses, limits, breaker_open_ms } = options
  const upstream = openUpstream({
    name,
    base_url,
    attempt_timeout_ms: limits.attempt_timeout_ms,
    retries: 0,
    connections,
    circuit: { ...circuit, open_ms: breaker_open_ms },
    rate_limited_weight: 0.5,
    ...(addresses ? { addresses } : {}),
  })
  const prove = openAuth(auth, base_url)
  return {
    send: (call, request) => sendRequest(upstream, prove, call, request),
    circuit: upstream.circuit,
    close: upstream.close,
  }
}
