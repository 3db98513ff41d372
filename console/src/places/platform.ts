/** The place of the platform: audit records, failed requests, settings and deprecated operations. */
import { RequestTimeLine } from '../trace.tsx'
import { resource, type Place } from '../resource.ts'

export const platform: Place = {
  name: 'platform',
  title: { en: 'Platform', de: 'Plattform' },
  resources: [
    resource({
      name: 'audit',
      title: { en: 'Audit', de: 'Prüfung' },
      list: 'listAuditEvents',
      columns: ['action', 'outcome', 'actor', 'target', 'reason', 'occurred_at', 'id'],
      events: ['account.', 'role.', 'job_type.', 'webhook_subscription.', 'link.'],
    }),
    resource({
      name: 'requests',
      title: { en: 'Requests', de: 'Anfragen' },
      list: 'listRequests',
      key: ['request_id'],
      read: 'getRequest',
      columns: ['route', 'status', 'code', 'ms', 'created_at', 'principal_id'],
      panel: RequestTimeLine,
    }),
    resource({
      name: 'anonymous',
      title: { en: 'Without a caller', de: 'Ohne Anmeldung' },
      list: 'listAnonymousRequests',
      key: ['request_id'],
      read: 'getRequest',
      columns: ['route', 'status', 'code', 'times', 'ms', 'created_at'],
      panel: RequestTimeLine,
    }),
    resource({
      name: 'limits',
      title: { en: 'Settings and limits', de: 'Einstellungen und Grenzen' },
      list: 'listLimits',
      key: ['name'],
      columns: ['name', 'value', 'unit', 'default', 'applies_to'],
    }),
    resource({
      name: 'deprecations',
      title: { en: 'Deprecations', de: 'Was entfällt' },
      list: 'listDeprecations',
      key: ['operation'],
      columns: ['operation', 'deprecated_at', 'sunset_at', 'replacement'],
    }),
  ],
}
