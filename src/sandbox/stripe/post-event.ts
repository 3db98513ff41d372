/**
 * One attempt to deliver an event. It signs the time and the bytes, with a new time for each
 * attempt.
 */
import { createHmac } from 'node:crypto'
import { request } from 'undici'
import type { FaultRule } from './faults.ts'
import type { Config, StripeEvent } from './objects.ts'

const answer_ms_max = 10_000
/** Moves the time by this many seconds, which is outside the tolerance of every verifier. */
const shifts: Readonly<Record<string, number>> = { old_timestamp: -400, future_timestamp: 400 }

/** The status of the reply, or null if there was none. */
export async function postEvent(
  { webhook_url, secrets }: Config,
  event: StripeEvent,
  fault: FaultRule | undefined,
  now_ms: number,
): Promise<number | null> {
  if (!webhook_url) return null
  const body = JSON.stringify(event)
  const t = Math.floor(now_ms / 1000) + (shifts[fault?.action ?? ''] ?? 0)
  const keys = fault?.action === 'bad_signature' ? ['whsec_wrong'] : secrets
  try {
    const answer = await request(webhook_url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signatureOf(t, body, keys),
      },
      body,
      reset: true,
      headersTimeout: answer_ms_max,
      bodyTimeout: answer_ms_max,
    })
    await answer.body.dump()
    return answer.statusCode
  } catch {
    return null
  }
}

/** One `v1` signature for each active secret, and a `v0` that every verifier must ignore. */
function signatureOf(t: number, body: string, secrets: readonly string[]): string {
  const mac = (secret: string) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return [`t=${t}`, ...secrets.map(secret => `v1=${mac(secret)}`), `v0=${mac('v0')}`].join(',')
}
