/** Emits events about the outcome of an intent. Their numbers have no gap. */
import type { Tx } from '#dodeca/kernel'

export type Announced = {
  readonly tenant_id: string
  readonly intent_id: string
  readonly category: string
  readonly template_version: string
  readonly state: string
  readonly channels: readonly string[]
  readonly error_code: string | null
  readonly version: number
  /** The trace in which the notification was accepted. Without it, that of the running work. */
  readonly traceparent?: string | null
}

export const announced_states = [
  'sent',
  'delivered',
  'failed',
  'suppressed',
  'expired',
  'cancelled',
]

export function announce(tx: Pick<Tx, 'emit'>, one: Announced): void {
  const { tenant_id, intent_id, category, template_version, channels, error_code, traceparent } =
    one
  tx.emit({
    type: `notification.${one.state}`,
    tenant_id,
    aggregate_type: 'notification',
    aggregate_id: intent_id,
    aggregate_version: one.version,
    ...(traceparent === undefined ? {} : { traceparent, written_by: 'send notification' }),
    data: { intent_id, category, template_version, channels: [...channels], error_code },
  })
}
