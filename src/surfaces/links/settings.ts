/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { checkServers, faultsIn, refusals, setting } from '#dodeca/kernel'
import type { Deployment, KernelOf, SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'links.code_length': setting.count(8, 'characters', 'Length of random codes, where a request does not say otherwise', 7, 32),
  'links.reserved': setting.list('Further codes that are reserved and cannot be aliases'),
  'links.short_hosts': setting.list('Hosts beside PUBLIC_URL that serve the links of the platform; the first is shown in short addresses'),
  'links.extra_suffixes': setting.list('Suffixes that are accepted in destinations and domains in addition to the public ones'),
  'links.ip_destinations': setting.flag(false, 'Destinations may be public IP addresses'),
  'links.protected_hosts': setting.list('Hosts beside the built-in ones whose look-alikes are suspicious'),
  'links.expiry_min_seconds': setting.count(60, 's', 'Nearest expiry of a link', 1),
  'links.expiry_max_days': setting.count(3653, 'days', 'Farthest expiry of a link', 1, 36_525),
  'links.creates_per_minute': setting.count(60, 'links/min', 'Links that one owner makes in a minute', 1, 1e9),
  'links.creates_per_day': setting.count(10_000, 'links/day', 'Links that one owner makes in a day', 1, 1e9),
  'links.body_limit_bytes': setting.count(16 * 1024, 'bytes', 'Largest body of a request about links, but for a batch', 1024, 2 ** 20),
  'links.domains_per_owner': setting.count(10, 'domains', 'Domains of one owner', 1, 100_000),
  'links.verification_ttl_seconds': setting.count(7 * 86_400, 's', 'Time to prove a new domain', 60),
  'links.verifications_per_minute': setting.count(6, 'attempts/min', 'Attempts to prove one domain in a minute', 1, 1e6),
  'links.domain_check_seconds': setting.count(86_400, 's', 'Time between two looks at the DNS record of a domain', 60),
  'links.domain_misses': setting.count(3, 'looks', 'Looks in a row without the DNS record before a domain is suspended', 1, 100),
  'links.dns_servers': setting.list('DNS servers (address or address:port) for the records of domains; none: those of the system'),
  'links.reports_per_hour': setting.count(10, 'reports/h', 'Abuse reports from one network in an hour', 1, 1e6),
  'links.reports_retention_days': setting.count(365, 'days', 'How long abuse reports are kept', 1, 3650),
  'links.young_report_hours': setting.count(24, 'hours', 'How long a report makes new links to the same destination suspicious', 0, 8760),
  'links.blocklist_patterns': setting.count(100, 'patterns', 'Patterns on the blocklist; each is compared with every new destination', 0, 10_000),
  'links.url_reputation': { ...setting.text('Which engine checks destinations beside the built-in rules: none or web_risk', 'none'), oneOf: ['none', 'web_risk'] },
  'links.web_risk_url': setting.address('Address of the Web Risk API, where it is not https://webrisk.googleapis.com'),
  'links.web_risk_key': setting.secret('Key of the Web Risk API'),
  'links.cache_entries': setting.count(200_000, 'links', 'Links that one process redirects from memory', 100, 10_000_000),
  'links.absent_entries': setting.count(50_000, 'codes', 'Unknown codes that one process remembers for five seconds', 100, 10_000_000),
  'links.misses_per_minute': setting.count(60, 'requests/min', 'Requests of one network for codes that lead nowhere', 1, 1e9),
  'links.stale_if_db_down_seconds': setting.count(0, 's', 'How long redirects continue from the cache while the database is unavailable; a deleted link may work as long', 0, 86_400),
  'links.country_header': setting.text('Header in which a trusted proxy names the country of the visitor, such as cf-ipcountry', ''),
  'links.click_spool': setting.flag(true, 'Clicks wait for the database in files of DATA_DIR, so that the end of a process loses none'),
  'links.click_spool_bytes': setting.count(256 * 1024 * 1024, 'bytes', 'Largest size of the spool of one process; further clicks are lost and counted', 1024, 2 ** 40),
  'links.click_retention_days': setting.count(90, 'days', 'How long single clicks are kept; their daily sums stay', 1, 3650),
  'links.purge': { ...setting.text('How an edge cache is purged after a change of a link: none, purge (HTTP PURGE) or webhook', 'none'), oneOf: ['none', 'purge', 'webhook'] },
  'links.purge_url': { ...setting.address('Address of the edge cache, or of the webhook'), secret: true },
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Returns a sentence for each value and each combination of settings that cannot work. */
export function settingFaults(given: Kernel['settings'], { profile }: Deployment): string[] {
  const checked = given['links.url_reputation'] === 'web_risk'
  const rules = faultsIn([
    [
      checked && given['links.web_risk_key'] === null && profile === 'production',
      'LINKS_URL_REPUTATION=web_risk needs LINKS_WEB_RISK_KEY: set it to a key of the Web Risk API.',
    ],
    [
      given['links.expiry_min_seconds'] > given['links.expiry_max_days'] * 86_400,
      'LINKS_EXPIRY_MIN_SECONDS must not be above LINKS_EXPIRY_MAX_DAYS, or no link can have an expiry. Lower the first or raise the second.',
    ],
    [
      given['links.purge'] !== 'none' && given['links.purge_url'] === null,
      'LINKS_PURGE is set, but LINKS_PURGE_URL is not, so nothing could be purged. Set it to the address of the edge cache, or of the webhook.',
    ],
    [
      given['links.country_header'] !== '' && given['kernel.trusted_proxies'].length === 0,
      'LINKS_COUNTRY_HEADER is set, but KERNEL_TRUSTED_PROXIES is not, so every visitor could name a country. Set it to the addresses of your proxies.',
    ],
  ])
  const servers = () => checkServers(given['links.dns_servers'])
  return [...rules, ...refusals({ LINKS_DNS_SERVERS: servers })]
}
