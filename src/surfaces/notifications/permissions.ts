/**
 * The permissions of notifications. Sending, reading and cancelling are granted for each category.
 */
import type { Permission } from '#dodeca/kernel'

const admin = ['tenant_admin']
const sender = ['tenant_admin', 'notification_sender']

export const permissions: Readonly<Record<string, Permission>> = {
  'notifications.intents.send': { says: 'Send notifications', roles: sender, typed: true },
  'notifications.intents.send_critical': {
    says: 'Send notifications that skip preferences and quiet hours',
    roles: admin,
    typed: true,
  },
  'notifications.intents.read': {
    says: 'See notifications and what became of them',
    roles: sender,
    typed: true,
  },
  'notifications.intents.cancel': { says: 'Cancel notifications', roles: sender, typed: true },
  'notifications.batches.send': {
    says: 'Send notifications to many people at once',
    roles: sender,
    typed: true,
  },
  'notifications.preferences.read_any': { says: 'See preferences of others', roles: admin },
  'notifications.preferences.write_any': { says: 'Change preferences of others', roles: admin },
  'notifications.destinations.write_any': {
    says: 'See, add and remove destinations of others',
    roles: admin,
  },
  'notifications.templates.read': { says: 'See templates', roles: sender },
  'notifications.templates.write': { says: 'Write templates', roles: admin },
  'notifications.templates.publish': { says: 'Publish and archive templates', roles: admin },
  'notifications.suppressions.read': { says: 'See suppressed destinations', roles: admin },
  'notifications.suppressions.write': { says: 'Change suppressed destinations', roles: admin },
  // Who sets preferences has to see what there is to choose from.
  'notifications.categories.read': { says: 'See categories', roles: ['member'] },
  'notifications.categories.write': { says: 'Define categories', roles: admin },
}
