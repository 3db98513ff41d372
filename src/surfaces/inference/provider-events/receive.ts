/**
 * `POST /webhooks/{provider}`: verifies the exact bytes, stores each event once by its id, and
 * replies. The content of the event is only a hint: the response that it names is read from the
 * provider later.
 */
import { providerErrors, reply, route, sql, text, type Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { events_queue } from './process-events.ts'

const followed = /^response\.(?:completed|failed|incomplete|cancelled)$/

export function webhookRoute({ kernel, providers }: Deps): Route {
  return route({
    method: 'POST',
    path: '/webhooks/{provider}',
    name: 'receiveGenerationWebhook',
    summary: 'Receive a signed event of a model provider',
    permission: 'public',
    hidden: true,
    rate: 'webhook_in',
    rate_by: ['provider'],
    counts_refused: true,
    idempotency: 'ignored',
    transaction: 'own',
    consumes: 'raw',
    body_limit_bytes: kernel.settings['inference.webhook_max_bytes'],
    params: { provider: text(50) },
    absent: 'provider_not_found',
    fails: [
      ...(Object.keys(providerErrors) as (keyof typeof providerErrors)[]),
      'signature_invalid',
      'timestamp_out_of_window',
    ],
    replies: { 204: null },
    handle: async ({ params, request: { raw, headers }, db }) => {
      const provider = providers.find(params.provider)
      if (!provider?.has_background) throw problem('provider_not_found')
      const now_seconds = kernel.clock.nowSeconds() - kernel.clock.offsetSeconds()
      const verdict = await provider.verifyWebhook({ raw, headers, now_seconds })
      if ('refused' in verdict) throw problem(verdict.refused)
      const { event_id, type, response_id } = verdict.event
      const is_due = response_id !== null && followed.test(type)
      await db.tx(async tx => {
        await tx.run(sql`
          insert into inference.provider_events (provider, event_id, type, payload, processed_at,
            due_at)
          values (${provider.name}, ${event_id}, ${type}, ${sql.json({ response_id })}::jsonb,
            case when ${is_due} then null else now() end,
            case when ${is_due} then kernel.now() end)
          on conflict do nothing`)
        if (is_due) tx.wake(events_queue)
      })
      return reply(204, null)
    },
  })
}
