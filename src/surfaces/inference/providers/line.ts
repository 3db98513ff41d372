/**
 * The connection to one model at one address: the SDK's client over the outgoing client, with a
 * separate pool, circuit and retry budget. So a failing model stops only itself.
 */
import OpenAI from 'openai'
import { circuit_defaults, type CircuitState } from '../../../kernel/outgoing/circuit.ts'
import { openUpstream } from '../../../kernel/outgoing/upstream.ts'
import type { Limits } from './call.ts'
import { ledgerFetch } from './ledger-fetch.ts'

export type Line = {
  readonly client: OpenAI
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
/** The SDK's own timer; our timers end a call sooner. */
const sdk_timeout_ms = 24 * 3_600_000
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
  const prefix = new URL(base_url).pathname.replace(/\/$/, '')
  const client = new OpenAI({
    // A server without keys gets one too, because the SDK requires a key.
    apiKey: api_key || 'none',
    baseURL: base_url,
    timeout: sdk_timeout_ms,
    maxRetries: limits.max_retries,
    fetch: ledgerFetch(upstream, prefix),
    logLevel: 'off',
    // None of these may come from environment variables.
    organization: null,
    project: null,
    webhookSecret: null,
  })
  return { client, circuit: upstream.circuit, close: upstream.close }
}
