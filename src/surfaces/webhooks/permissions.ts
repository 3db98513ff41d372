/**
 * The permissions on webhooks. Secrets, replays and receipts have their own permissions. So a
 * person who may only read deliveries cannot forge a message or send one again.
 */
import type { Permission } from '#dodeca/kernel'

const admin = ['tenant_admin']

export const permissions: Readonly<Record<string, Permission>> = {
  'webhooks.subscriptions.read': {
    says: 'See webhook subscriptions and their health',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'webhooks.subscriptions.write': { says: 'Create and change webhook subscriptions', roles: admin },
  'webhooks.subscriptions.rotate_secret': {
    says: 'Give webhook subscriptions a new secret',
    roles: admin,
  },
  'webhooks.deliveries.read': {
    says: 'See webhook deliveries and their attempts',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'webhooks.deliveries.replay': { says: 'Send webhooks again', roles: admin },
  'webhooks.inbound_sources.manage': {
    says: 'Configure from which providers webhooks are received',
    roles: admin,
  },
  'webhooks.inbound_receipts.read': {
    says: 'See received webhooks',
    roles: ['tenant_admin', 'support_viewer', 'auditor'],
  },
  'webhooks.inbound_receipts.reprocess': { says: 'Process received webhooks again', roles: admin },
}
