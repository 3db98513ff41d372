/**
 * Emits a real event for one subscription only. This transaction also creates the delivery, so a
 * client can read the delivery immediately. The delivery becomes due when the event has passed
 * through the log like every other event.
 */
import { Type } from 'typebox'
import { Id, limit, newId, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { tested } from '../events.ts'
import { findSubscription } from './find.ts'

const data_bytes_max = limit(
  'webhooks.test_event_bytes',
  200 * 1024,
  'bytes',
  'Largest data of a test event',
)
const Made = Type.Object({ id: Id })

type Asked = { data?: unknown; aggregate_id?: string; aggregate_version?: number }

export async function sendTestEvent(
  tx: Tx,
  at: { id: string; tenant_id: string },
  { data, aggregate_id = newId(), aggregate_version = 1 }: Asked,
) {
  if (data !== undefined && Buffer.byteLength(JSON.stringify(data)) > data_bytes_max) {
    throw problem('content_too_large', { detail: 'The data of a test are at most 200 KiB.' })
  }
  const { state, id, tenant_id, ordering, api_version } = await findSubscription(tx, at)
  if (state !== 'active' && state !== 'paused') {
    throw problem('subscription_not_active', { current_state: state })
  }
  const event_id = tx.emit({
    type: tested,
    tenant_id,
    aggregate_type: 'webhook_test',
    aggregate_id,
    aggregate_version,
    data: { subscription_id: id, ...(data === undefined ? {} : { data }) },
  })
  const delivery = await tx.one(
    Made,
    sql`
      insert into webhooks.deliveries (tenant_id, event_id, subscription_id, id, event_type,
        aggregate_id, aggregate_version, api_version, ordered, next_attempt_at, held_seconds,
        occurred_at)
      select s.tenant_id, ${event_id}, s.id, webhooks.delivery_id(${event_id}, s.id), ${tested},
        ${aggregate_id}, ${aggregate_version}, ${api_version}, ${ordering === 'aggregate'},
        'infinity', s.held_seconds, kernel.now()
      from webhooks.subscriptions s where s.tenant_id = ${tenant_id} and s.id = ${id}
      returning id`,
  )
  return { id: delivery.id, status: 'pending', event_id }
}
