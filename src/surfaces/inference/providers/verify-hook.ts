/** Verifies webhooks of a provider, signed with Standard Webhooks over the exact bytes. */
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import { verifyStandard } from '#dodeca/kernel'
import type { HookVerdict, Provider } from './provider.ts'

export async function verifyHook(
  secrets: () => readonly KeyObject[] | Promise<readonly KeyObject[]>,
  { raw, headers, now_seconds }: Parameters<Provider['verifyWebhook']>[0],
): Promise<HookVerdict> {
  const message = { headers, body: raw, secrets: await secrets(), now_seconds }
  const { outcome } = verifyStandard(message)
  if (outcome !== 'ok') return { refused: outcome }
  const event_id = headers['webhook-id']
  const event = read(raw)
  if (typeof event_id !== 'string' || event_id.length > 255 || !event) {
    return { refused: 'envelope_invalid' }
  }
  return { event: { event_id, ...event } }
}

function read(raw: Buffer): { type: string; response_id: string | null } | null {
  let event: unknown
  try {
    event = JSON.parse(raw.toString('utf8'))
  } catch {
    return null
  }
  const { type, data } = (event ?? {}) as { type?: unknown; data?: { id?: unknown } | null }
  if (typeof type !== 'string' || type.length > 255) return null
  const id = data?.id
  const about = type.startsWith('response.') && typeof id === 'string' && id.length <= 255
  return { type, response_id: about ? id : null }
}
