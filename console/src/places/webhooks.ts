/** The place of webhooks: endpoints, deliveries and received messages. */
import { Delivery } from '../panels/delivery.tsx'
import { resource, type Place } from '../resource.ts'

export const webhooks: Place = {
  name: 'webhooks',
  title: { en: 'Webhooks', de: 'Webhooks' },
  resources: [
    resource({
      name: 'subscriptions',
      title: { en: 'Endpoints', de: 'Endpunkte' },
      list: 'listWebhookSubscriptions',
      read: 'getWebhookSubscription',
      create: 'createWebhookSubscription',
      columns: ['endpoint', 'state', 'health', 'description', 'created_at', 'id'],
      events: ['webhook_subscription.', 'webhook_delivery.'],
      actions: [
        'testWebhookSubscription',
        'verifyWebhookSubscription',
        'updateWebhookSubscription',
        'replayWebhookSubscription',
        { by: 'rotateWebhookSecret', hurts: true },
        { by: 'deleteWebhookSubscription', hurts: true },
      ],
      related: [
        {
          title: { en: 'Deliveries', de: 'Zustellungen' },
          list: 'listWebhookDeliveries',
          filter: 'subscription_id',
          columns: ['event_type', 'state', 'last_http_status', 'attempt_count', 'created_at'],
          opens: 'webhooks/deliveries',
        },
      ],
    }),
    resource({
      name: 'deliveries',
      title: { en: 'Deliveries', de: 'Zustellungen' },
      list: 'listWebhookDeliveries',
      read: 'getWebhookDelivery',
      panel: Delivery,
      columns: [
        'event_type',
        'state',
        'last_http_status',
        'last_error_code',
        'attempt_count',
        'created_at',
        'id',
      ],
      events: ['webhook_delivery.', 'webhook_subscription.'],
      unannounced: ['pending'],
      actions: ['replayWebhookDelivery'],
    }),
    resource({
      name: 'event-types',
      title: { en: 'Event types', de: 'Arten von Ereignissen' },
      list: 'listWebhookEventTypes',
      key: ['type'],
      columns: ['type', 'schema_version'],
    }),
    resource({
      name: 'receipts',
      title: { en: 'Received', de: 'Empfangen' },
      list: 'listInboundReceipts',
      read: 'getInboundReceipt',
      columns: ['provider', 'event_type', 'processing_state', 'attempts', 'received_at', 'id'],
      events: ['inbound_receipt.'],
      actions: ['getInboundPayload', 'reprocessInboundReceipt'],
    }),
  ],
}
