/** The place of links: links, domains, reports and the blocklist. */
import { LinkClicks } from '../panels/link-clicks.tsx'
import { resource, type Place } from '../resource.ts'

export const links: Place = {
  name: 'links',
  title: { en: 'Links', de: 'Kurzlinks' },
  resources: [
    resource({
      name: 'links',
      title: { en: 'Links', de: 'Kurzlinks' },
      list: 'listLinks',
      read: 'getLink',
      create: 'createLink',
      key: ['code'],
      columns: [
        'code',
        'state',
        'safety_state',
        'destination_url',
        'clicks',
        'title',
        'created_at',
      ],
      events: ['link.'],
      panel: LinkClicks,
      actions: ['updateLink', 'moderateLink', { by: 'deleteLink', hurts: true }],
    }),
    resource({
      name: 'domains',
      title: { en: 'Domains', de: 'Domains' },
      list: 'listDomains',
      read: 'getDomain',
      create: 'claimDomain',
      columns: ['hostname', 'state', 'checked_at', 'created_at', 'id'],
      events: ['domain.'],
      actions: ['verifyDomain', 'renewDomainToken', { by: 'removeDomain', hurts: true }],
    }),
    resource({
      name: 'reports',
      title: { en: 'Reports', de: 'Meldungen' },
      list: 'listLinkReports',
      create: 'reportLink',
      columns: ['url', 'state', 'reason', 'code', 'created_at'],
    }),
    resource({
      name: 'blocklist',
      title: { en: 'Blocklist', de: 'Sperrliste' },
      list: 'listBlocklistEntries',
      create: 'addBlocklistEntry',
      columns: ['value', 'kind', 'action', 'reason', 'created_at'],
      actions: [{ by: 'removeBlocklistEntry', hurts: true }],
    }),
  ],
}
