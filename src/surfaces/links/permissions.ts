/**
 * The permissions on links. Every member may shorten URLs. Permissions over all tenants
 * (moderation, the blocklist, reports) belong to the platform operator, because the links of all
 * tenants share the reputation of one host.
 */
import type { Permission } from '#dodeca/kernel'

const member = ['member']
const operator = ['platform_operator']

export const permissions: Readonly<Record<string, Permission>> = {
  'links.links.create': { says: 'Shorten links', roles: member },
  'links.links.read': { says: 'See own links', roles: member },
  'links.links.update': { says: 'Change own links', roles: member },
  'links.links.delete': { says: 'Delete own links', roles: member },
  'links.links.moderate': { says: 'Disable and enable links of others', roles: operator },
  'links.stats.read': { says: 'See the clicks on own links', roles: member },
  'links.stats.rebuild': { says: 'Rebuild click statistics from their events', roles: operator },
  'links.domains.manage': { says: 'Add own domains', roles: member },
  'links.blocklist.manage': {
    says: 'Maintain the list of forbidden destinations',
    roles: operator,
  },
  'links.reports.read': { says: 'Read reports from the public', roles: operator },
}
