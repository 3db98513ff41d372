/**
 * A consumer whose work continues the trace of the event that caused it. In a batch each event has
 * its own span, and new events continue the trace of the batch's first event.
 */
import { workContext } from '../../observability/context.ts'
import type { Consumer } from '../consumer.ts'
import type { Telemetry } from '../../observability/telemetry.ts'
import type { LoggedEvent } from '../event.ts'

export function traced(consumer: Consumer, telemetry: Telemetry): Consumer {
  const within = async (events: readonly LoggedEvent[], effect: () => Promise<void>) => {
    const spans = events.map(event => ({
      span: telemetry.start(`consume ${event.type}`, event.traceparent, 'consumer'),
      attributes: {
        'messaging.consumer.group.name': consumer.name,
        'dodeca.event_id': event.id,
      },
    }))
    const about = events.flatMap(one => [one.tenant_id, one.aggregate_id, one.id])
    const traceparent = spans[0]?.span.traceparent ?? null
    const name = `consume ${events[0]?.type}`
    const work = { request_id: null, traceparent, name, about }
    try {
      await workContext.run(work, effect)
      for (const { span, attributes } of spans) span.end(attributes)
    } catch (error) {
      for (const { span, attributes } of spans) span.end(attributes, true)
      throw error
    }
  }
  const all = consumer.runAll?.bind(consumer)
  return {
    ...consumer,
    run: (tx, event) => within([event], () => consumer.run(tx, event)),
    ...(all ? { runAll: (tx, events) => within(events, () => all(tx, events)) } : {}),
  }
}
