/** Delivery reports of the mail vendor, signed as Standard Webhooks in the same way as Resend. */
import { newId, parseStandardSecret, rfc3339, signStandard, type Clock } from '#dodeca/kernel'
import type { Kept } from '../kept.ts'
import type { Report } from '../message-routes.ts'

const old_seconds = 3600

export function webhookSecret(kept: Kept): string {
  const bytes = Buffer.from(kept.secret('webhook'), 'utf8').subarray(0, 32)
  return `whsec_${bytes.toString('base64')}`
}

export function reportMail(kept: Kept, clock: Clock): Report {
  return async (message, { type, deliver_to, event_id, occurred_at, signature = 'good' }) => {
    const body = Buffer.from(
      JSON.stringify({
        type: `email.${type}`,
        created_at: occurred_at ?? rfc3339(clock.nowMs()),
        data: { email_id: message.id, message_id: `<${message.ref}@sandbox>`, to: [message.to] },
      }),
    )
    const now = clock.nowSeconds()
    const secret = parseStandardSecret(webhookSecret(kept)) ?? Buffer.alloc(32)
    const headers = signStandard({
      id: event_id ?? newId(),
      timestamp_seconds: signature === 'old' ? now - old_seconds : now,
      body,
      secrets: [signature === 'bad' ? Buffer.alloc(32) : secret],
    })
    const answer = await fetch(`${deliver_to}/v1/providers/${message.provider}/webhooks`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await answer.arrayBuffer()
    return answer.status
  }
}
