/** A consumer whose work continues the trace of the event that caused it. */
import { workContext } from '../../watch/context.ts'
import type { Consumer } from '../../surface.ts'
import type { Telemetry } from '../../watch/telemetry.ts'

export function traced(consumer: Consumer, telemetry: Telemetry): Consumer {
  return {
    ...consumer,
    run: async (tx, event) => {
      const span = telemetry.start(`consume ${event.type}`, event.traceparent, 'consumer')
      const work = { request_id: null, traceparent: span.traceparent }
      const attributes = {
        'messaging.consumer.group.name': consumer.name,
        'dodeca.event_id': event.id,
      }
      try {
        await workContext.run(work, () => consumer.run(tx, event))
        span.end(attributes)
      } catch (error) {
        span.end(attributes, true)
        throw error
      }
    },
  }
}
