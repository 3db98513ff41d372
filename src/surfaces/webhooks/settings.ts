/** The settings of this surface: name, default, unit, one sentence, bounds. */
import {
  checkServers,
  faultsIn,
  openAddressRules,
  ownRing,
  refusals,
  setting,
} from '#dodeca/kernel'
import type { KernelOf, SettingTable } from '#dodeca/kernel'
import { begin_ms, finish_ms, readSending } from './sending-settings.ts'

// prettier-ignore
export const settings = {
  'webhooks.sender_enabled': setting.flag(true, 'Whether worker processes send webhooks'),
  'webhooks.retry_schedule': setting.numbers([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400], 's', 'Waits before each attempt of a delivery'),
  'webhooks.max_event_age_seconds': setting.count(96 * 3600, 's', 'Age from which a delivery is not tried again; time on hold does not count', 1),
  'webhooks.max_held_age_seconds': setting.count(14 * 86_400, 's', 'Age from which a delivery is not tried again, whatever was on hold', 1),
  'webhooks.allow_http': setting.flag('development', 'Whether endpoints without TLS may be sent to'),
  'webhooks.allowed_ports': setting.text('Ports of endpoints, and ranges such as 8000-8999', '443,8443'),
  'webhooks.allowed_private_cidrs': setting.list('Private nets (10.1.0.0/16), places (127.0.0.1:9000) and inner names (hooks.corp.internal, .corp.internal) that may be sent to'),
  'webhooks.dns_servers': setting.list('DNS servers that resolve endpoints, where not those of the system'),
  'webhooks.timeouts': setting.parts('Longest time of each phase of an attempt, in ms', 'dns:2000,connect:3000,tls:3000,write:5000,first_byte:10000,body:5000,total:20000', { dns: 'ms', connect: 'ms', tls: 'ms', write: 'ms', first_byte: 'ms', body: 'ms', total: 'ms' }),
  'webhooks.breaker': setting.parts('When a failing endpoint is left alone, and for how long', 'failures:10,open_ms:30000,max_open_ms:900000', { failures: 'failures', open_ms: 'ms', max_open_ms: 'ms' }),
  'webhooks.degraded_seconds': setting.count(86_400, 's', 'Time without success after which a subscription counts as degraded', 1),
  'webhooks.auto_disable_seconds': setting.count(5 * 86_400, 's', 'Time without success after which a subscription is disabled', 1),
  'webhooks.lease_seconds': setting.count(30, 's', 'How long a sender holds endpoints and deliveries without a sign of life', 2, 600),
  'webhooks.in_flight': setting.count(512, 'requests', 'Webhooks under way in one process', 1, 10_000),
  'webhooks.in_flight_slow': setting.count(128, 'requests', 'Webhooks under way to slow endpoints in one process', 1, 10_000),
  'webhooks.max_subscriptions': setting.count(100, 'subscriptions', 'Webhook subscriptions of a tenant', 1, 20_000),
  'webhooks.verifications_per_hour': setting.count(10, 'challenges', 'Challenges that are sent to one subscription in an hour', 1, 100_000),
  'webhooks.replay_per_minute': setting.count(10, 'replays', 'Replays of one subscription in a minute', 1, 1_000_000),
  'webhooks.replay_tenant_per_minute': setting.count(100, 'replays', 'Replays of a tenant in a minute', 1, 1_000_000),
  'webhooks.replay_deliveries_max': setting.count(100_000, 'deliveries', 'Deliveries that one replay of a subscription sends again', 1, 10_000_000),
  'webhooks.deliveries_retention_days': setting.count(90, 'days', 'How long deliveries are kept', 7, 3650),
  'webhooks.attempts_retention_days': setting.count(30, 'days', 'How long attempts of deliveries are kept', 7, 3650),
  'webhooks.inbound_max_bytes': setting.count(1024 * 1024, 'bytes', 'Largest inbound webhook; 25 MiB where the scheme is github', 1024, 2 ** 25),
  'webhooks.inbound_ack_ms': setting.count(5000, 'ms', 'Time in which an inbound webhook is stored; after that the provider gets 503 and sends it again', 100, 60_000),
  'webhooks.inbound_tolerance_seconds': setting.count(300, 's', 'Age of an inbound webhook, where its source does not say otherwise', 0, 86_400),
  'webhooks.receipts_retention_days': setting.count(400, 'days', 'How long receipts of inbound webhooks are kept, so that a repetition is recognized', 30, 3650),
  'webhooks.receipt_payloads_retention_days': setting.count(30, 'days', 'How long the bytes of inbound webhooks are kept', 1, 3650),
  'webhooks.watch_max_per_principal': setting.count(20, 'streams', 'Event streams of the feed that one principal has open', 1, 100_000),
  'webhooks.keyring': setting.secret('A keyring of its own for the secrets of webhooks'),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Returns a sentence for each value and each combination of settings that cannot work. */
export function settingFaults(given: Kernel['settings']): string[] {
  const keyring = given['webhooks.keyring']
  const allow = given['webhooks.allowed_private_cidrs']
  let rules: readonly string[] = []
  const read = refusals({
    WEBHOOKS: () => (rules = sendingFaults(given)),
    WEBHOOKS_KEYRING: () => keyring && ownRing(keyring),
    WEBHOOKS_ALLOWED_PRIVATE_CIDRS: () => openAddressRules({ ports: [], allow }),
    WEBHOOKS_DNS_SERVERS: () => checkServers(given['webhooks.dns_servers']),
  })
  return [...rules, ...read]
}

/** Returns a sentence for each combination that cannot work. Throws if a list has a mistake. */
function sendingFaults(settings: Kernel['settings']): string[] {
  const { timeouts, breaker } = readSending({ settings })
  const lease_ms = settings['webhooks.lease_seconds'] * 1000
  return faultsIn([
    [
      begin_ms + timeouts.total + finish_ms > lease_ms,
      'WEBHOOKS_LEASE_SECONDS must outlast the total of WEBHOOKS_TIMEOUTS by 2 seconds: a sender begins no attempt that its lease may not cover, so nothing would be sent. Raise the lease or lower the total.',
    ],
    [
      breaker.max_open_ms < breaker.open_ms,
      'WEBHOOKS_BREAKER: max_open_ms must not be below open_ms. Raise the first or lower the second.',
    ],
    [
      settings['webhooks.degraded_seconds'] >= settings['webhooks.auto_disable_seconds'],
      'WEBHOOKS_DEGRADED_SECONDS must be below WEBHOOKS_AUTO_DISABLE_SECONDS, or a subscription is disabled before its owner is warned. Lower the first or raise the second.',
    ],
    [
      settings['webhooks.max_held_age_seconds'] < settings['webhooks.max_event_age_seconds'],
      'WEBHOOKS_MAX_HELD_AGE_SECONDS must not be below WEBHOOKS_MAX_EVENT_AGE_SECONDS: it is the age that ends a delivery whatever was on hold. Raise the first or lower the second.',
    ],
  ])
}
