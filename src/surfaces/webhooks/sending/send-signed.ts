/**
 * Sends one signed POST to an endpoint: the exact bytes, the same id for every attempt, the time of
 * this attempt, and a signature for every valid secret. The request is sent only to addresses that
 * the address rules allow.
 */
import { parseTime, signStandard, type SafeResponse } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { LiveSecret } from './live-secrets.ts'

export type Signed = {
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly body: Buffer
  readonly secrets: readonly LiveSecret[]
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

const answer_bytes_max = 64 * 1024

export function sendSigned(
  { kernel, reach, sending: { timeouts } }: Pick<Deps, 'kernel' | 'reach' | 'sending'>,
  { endpoint, id, type, body, secrets, headers, signal }: Signed,
): Promise<SafeResponse> {
  const now_ms = kernel.clock.nowMs()
  const live = secrets.filter(one => !one.valid_until || parseTime(one.valid_until) > now_ms)
  // No receiver could verify the message.
  if (live.length === 0) throw new Error('the subscription has no secret that can be opened')
  return reach(endpoint, {
    method: 'POST',
    body,
    signal,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'dodeca-webhooks/1',
      ...signStandard({
        id,
        body,
        timestamp_seconds: kernel.clock.nowSeconds(),
        secrets: live.map(one => one.key),
      }),
      'webhook-event-type': type,
      ...headers,
    },
    deadline_ms: timeouts.total,
    dns_timeout_ms: timeouts.dns,
    connect_timeout_ms: timeouts.connect,
    tls_timeout_ms: timeouts.tls,
    write_timeout_ms: timeouts.write,
    headers_timeout_ms: timeouts.first_byte,
    body_timeout_ms: timeouts.body,
    max_body_bytes: answer_bytes_max,
    // The server may have closed a reused connection. Receivers recognize repeats by the id.
    repeatable: true,
  })
}
