/** The place of events: the log, the types, consumers and parked events. */
import { resource, type Place } from '../resource.ts'

export const events: Place = {
  name: 'events',
  title: { en: 'Events', de: 'Ereignisse' },
  resources: [
    resource({
      name: 'log',
      title: { en: 'Log', de: 'Protokoll' },
      list: 'listWebhookEvents',
      read: 'getWebhookEvent',
      feed: true,
      columns: ['type', 'aggregate_id', 'aggregate_version', 'occurred_at', 'id'],
      related: [
        {
          title: { en: 'Deliveries', de: 'Zustellungen' },
          list: 'listWebhookDeliveries',
          filter: 'event_id',
          columns: ['id', 'state', 'last_http_status', 'attempt_count', 'created_at'],
          opens: 'webhooks/deliveries',
        },
      ],
    }),
    resource({
      name: 'types',
      title: { en: 'Types', de: 'Arten' },
      list: 'listEventTypes',
      read: 'getEventType',
      create: 'putEventType',
      key: ['type'],
      columns: ['type', 'origin', 'schema_version', 'description', 'archived_at'],
      actions: ['putEventType', 'publishEvents', { by: 'archiveEventType', hurts: true }],
    }),
    resource({
      name: 'consumers',
      title: { en: 'Consumers', de: 'Empfänger' },
      list: 'listEventConsumers',
      key: ['consumer'],
      columns: ['consumer', 'lag_events', 'lag_seconds', 'parked', 'position'],
      events: [''],
    }),
    resource({
      name: 'parks',
      title: { en: 'Parked', de: 'Geparkt' },
      list: 'listEventParks',
      columns: ['consumer', 'state', 'last_error_code', 'attempts', 'next_attempt_at', 'id'],
      actions: [
        { by: 'retryEventPark', in: ['dead'] },
        { by: 'skipEventPark', hurts: true, in: ['waiting', 'dead'] },
      ],
    }),
  ],
}
