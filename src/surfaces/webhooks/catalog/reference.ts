/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const catalogReference: Reference['members'] = {
  ...ofNoun('WebhookEventType', {
    type: 'The type of the event.',
    schema_version: 'The version of its `data`.',
    json_schema: "The JSON Schema of the event's `data`.",
    example: 'An event of this type.',
  }),
  ...ofNoun('WebhookEvent WebhookEventWithDeliveries', {
    type: 'The type of the event.',
    schema_version: 'The version of its `data`.',
    aggregate_id: 'The thing that the event is about.',
    aggregate_version: 'The version of that thing.',
    payload_ref: 'Where a large `data` can be read.',
    trace_id: 'The trace of the request that caused the event.',
    written_by: 'The route or the work whose transaction wrote it, such as `POST /v1/jobs`.',
    transaction_id: 'Events with the same number were committed together.',
    occurred_at: 'When it happened.',
  }),
  ...ofNoun('WebhookEventWithDeliveries', {
    deliveries: 'How many deliveries of it are in each state.',
    'deliveries.total': 'All deliveries.',
    'deliveries.pending': 'Deliveries that wait or are retried.',
    'deliveries.delivered': 'Deliveries that an endpoint took.',
    'deliveries.permanent_failure': 'Deliveries that an endpoint refused for good.',
    'deliveries.exhausted': 'Deliveries whose attempts are used up.',
    'deliveries.cancelled': 'Deliveries that were cancelled.',
  }),
}
