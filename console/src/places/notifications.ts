/** The place of notifications: sent messages, templates, categories and the person's own inbox. */
import { TemplatePreview } from '../panels/template-preview.tsx'
import { plain } from '../operation.ts'
import { resource, type Place } from '../resource.ts'

export const notifications: Place = {
  name: 'notifications',
  title: { en: 'Notifications', de: 'Nachrichten' },
  resources: [
    resource({
      name: 'notifications',
      title: { en: 'Sent', de: 'Gesendet' },
      list: 'listNotifications',
      read: 'getNotification',
      create: 'sendNotification',
      columns: [
        'category',
        'state',
        'channels',
        'priority',
        'template_version',
        'created_at',
        'id',
      ],
      events: ['notification.'],
      actions: [
        {
          by: 'getRenderedNotification',
          asks: ({ channels }) => ({ channel: plain([channels].flat()[0]) }),
        },
        { by: 'cancelNotification', hurts: true, in: ['scheduled', 'queued', 'held'] },
      ],
    }),
    resource({
      name: 'templates',
      title: { en: 'Templates', de: 'Vorlagen' },
      list: 'listNotificationTemplates',
      read: 'getNotificationTemplate',
      create: 'createNotificationTemplate',
      key: ['name', 'version'],
      panel: TemplatePreview,
      columns: ['name', 'version', 'status', 'channels', 'default_locale', 'published_at'],
      actions: [
        { by: 'publishNotificationTemplate', in: ['draft'] },
        { by: 'archiveNotificationTemplate', hurts: true, in: ['published'] },
      ],
    }),
    resource({
      name: 'explain',
      title: { en: 'Explain', de: 'Erklären' },
      create: 'explainNotification',
      columns: [],
    }),
    resource({
      name: 'batches',
      title: { en: 'Batches', de: 'Stapel' },
      list: 'listNotificationBatches',
      read: 'getNotificationBatch',
      columns: ['category', 'state', 'total', 'rejected_count', 'created_at', 'completed_at'],
      events: ['notification_batch.', 'notification.'],
      actions: [
        'pauseNotificationBatch',
        'resumeNotificationBatch',
        { by: 'cancelNotificationBatch', hurts: true },
      ],
    }),
    resource({
      name: 'categories',
      title: { en: 'Categories', de: 'Kategorien' },
      list: 'listNotificationCategories',
      read: 'getNotificationCategory',
      key: ['name'],
      columns: ['name', 'class', 'default_channels', 'user_can_disable', 'respects_quiet_hours'],
      actions: ['putNotificationCategory'],
    }),
    resource({
      name: 'suppressions',
      title: { en: 'Suppressions', de: 'Sperren' },
      list: 'listSuppressions',
      create: 'createSuppression',
      columns: ['channel', 'category', 'reason', 'effective_at', 'id'],
      events: ['suppression.'],
      actions: [{ by: 'deleteSuppression', hurts: true }],
    }),
    resource({
      name: 'inbox',
      title: { en: 'My inbox', de: 'Mein Posteingang' },
      list: 'listInbox',
      create: 'readAllInboxItems',
      columns: ['title', 'body', 'category', 'read_at', 'created_at'],
      events: ['notification.'],
      actions: ['updateInboxItem'],
    }),
    resource({
      name: 'destinations',
      title: { en: 'My destinations', de: 'Meine Adressen' },
      list: 'listDestinations',
      of: { user_id: '@me' },
      create: 'createDestination',
      columns: ['destination', 'channel', 'verified_at', 'disabled_at', 'created_at'],
      actions: ['verifyDestination', { by: 'deleteDestination', hurts: true }],
    }),
  ],
}
