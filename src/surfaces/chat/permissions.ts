/** Permissions in conversations beyond the caller's own membership and role. */
import type { Permission } from '#dodeca/kernel'

export const permissions: Readonly<Record<string, Permission>> = {
  'chat.messages.moderate': {
    says: 'Delete messages of any conversation whose id is known',
    roles: ['tenant_admin'],
  },
}
