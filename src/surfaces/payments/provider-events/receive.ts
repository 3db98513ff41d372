/**
 * Receives webhooks of the provider. It verifies them with real time (in development the platform's
 * clock may be moved), and stores only the id of the object to read. The body is not stored,
 * because it may contain names and addresses, and we fetch the object anyway.
 */
import type { Buffer } from 'node:buffer'
import { verifyStripe, type Provider } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { ProviderEvent } from '../provider/port.ts'
import { eventOf } from '../provider/stripe-snapshots.ts'
import { events_queue, storeEvents } from './store-events.ts'

export function stripeWebhooks({ kernel, provider }: Deps): Provider<ProviderEvent> {
  return {
    name: provider.name,
    accepted: 200,
    shares_commits: true,
    max_bytes: kernel.settings['payments.webhook_max_bytes'],
    verify: async ({ raw, headers }) => {
      const secrets = await provider.webhookSecrets().catch(() => [])
      const { outcome } = verifyStripe({
        headers,
        body: raw,
        secrets,
        now_seconds: kernel.clock.nowSeconds() - kernel.clock.offsetSeconds(),
      })
      if (outcome !== 'ok') return { refused: outcome }
      const event = read(raw)
      return event === undefined
        ? { refused: 'envelope_invalid' }
        : { events: event ? [event] : [] }
    },
    receive: async (tx, events) => {
      await kernel.fault('payments.webhook')
      if ((await storeEvents(tx, provider.name, events)) > 0) tx.wake(events_queue)
    },
  }
}

/** Undefined means that the body cannot be read. Null means that it names no object. */
function read(raw: Buffer): ProviderEvent | null | undefined {
  let event: unknown
  try {
    event = JSON.parse(raw.toString('utf8'))
  } catch {
    return undefined
  }
  const { id, type, created, data } = (event ?? {}) as Record<string, unknown>
  const object = (data as { object?: unknown } | undefined)?.object
  if (typeof id !== 'string' || id.length > 255 || typeof type !== 'string') return undefined
  if (typeof object !== 'object' || object === null) return undefined
  return eventOf({ id, type: type.slice(0, 255), created: Number(created) || 0, data: { object } })
}
