/** Combinations of settings that cannot work stop the start with a sentence, before anything is touched. */
import { expect, test } from 'vitest'
import { composition } from '../src/platform.ts'
import { start } from '../src/runtime/start.ts'
import { refuseCombinations } from '../src/runtime/setting-rules.ts'
import { loadConfig } from '../src/settings.ts'

const timeouts = (total: number) =>
  `dns:2000,connect:3000,tls:3000,write:5000,first_byte:10000,body:5000,total:${total}`

const production = { PROFILE: 'production', NOTIFICATIONS_EMAIL_PROVIDERS: 'none' }

const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  // Every sender would find that its lease is too short for one more attempt.
  [{ WEBHOOKS_LEASE_SECONDS: '21' }, /WEBHOOKS_LEASE_SECONDS .* WEBHOOKS_TIMEOUTS/],
  [{ WEBHOOKS_TIMEOUTS: timeouts(28_001) }, /WEBHOOKS_LEASE_SECONDS .* WEBHOOKS_TIMEOUTS/],
  [{ WEBHOOKS_BREAKER: 'failures:5,open_ms:2000,max_open_ms:1000' }, /WEBHOOKS_BREAKER/],
  [
    { WEBHOOKS_DEGRADED_SECONDS: '60', WEBHOOKS_AUTO_DISABLE_SECONDS: '60' },
    /WEBHOOKS_DEGRADED_SECONDS .* WEBHOOKS_AUTO_DISABLE_SECONDS/,
  ],
  [
    { WEBHOOKS_MAX_HELD_AGE_SECONDS: '60' },
    /WEBHOOKS_MAX_HELD_AGE_SECONDS .* WEBHOOKS_MAX_EVENT_AGE_SECONDS/,
  ],
  [
    { JOBS_STOP_GRACE_SECONDS: '10', KERNEL_DRAIN_SECONDS: '0', KERNEL_SHUTDOWN_SECONDS: '10' },
    /JOBS_STOP_GRACE_SECONDS .* KERNEL_SHUTDOWN_SECONDS/,
  ],
  [{ JOBS_BACKOFF_CAP_MS: '1000' }, /JOBS_BACKOFF_CAP_MS .* JOBS_BACKOFF_BASE_MS/],
  // Without a time of its own, production waits five seconds.
  [{ ...production, KERNEL_SHUTDOWN_SECONDS: '5' }, /KERNEL_DRAIN_SECONDS must be below/],
  [
    { ...production, JOBS_STOP_GRACE_SECONDS: '25' },
    /JOBS_STOP_GRACE_SECONDS .* KERNEL_SHUTDOWN_SECONDS/,
  ],
  [{ KERNEL_OBJECTS_ENGINE: 's3' }, /KERNEL_OBJECTS_S3_ACCESS_KEY .* KERNEL_OBJECTS_S3_SECRET_KEY/],
  // An empty width would trust every address.
  [{ KERNEL_TRUSTED_PROXIES: '10.0.0.0/' }, /"10.0.0.0\/" in KERNEL_TRUSTED_PROXIES/],
  [{ KERNEL_TRUSTED_PROXIES: '10.0.0/8' }, /"10.0.0\/8" in KERNEL_TRUSTED_PROXIES/],
  [{ KERNEL_TRUSTED_PROXIES: '10.0.0.0/33' }, /"10.0.0.0\/33" in KERNEL_TRUSTED_PROXIES/],
  [
    { KERNEL_DATABASE_DIRECT_URL: 'postgres://x@127.0.0.1:9/x' },
    /KERNEL_DATABASE_DIRECT_URL is set and DATABASE_URL is not/,
  ],
  [{ KERNEL_DRAIN_SECONDS: '30' }, /KERNEL_DRAIN_SECONDS .* KERNEL_SHUTDOWN_SECONDS/],
  [{ KERNEL_INBOX_RETENTION_DAYS: '29' }, /KERNEL_INBOX_RETENTION_DAYS .* KERNEL_EVENTS_RETENTION/],
  [
    { IDENTITY_REFRESH_PRUNE_SECONDS: '10' },
    /IDENTITY_REFRESH_PRUNE_SECONDS .* IDENTITY_REFRESH_GRACE_SECONDS/,
  ],
  [
    { LINKS_EXPIRY_MIN_SECONDS: '86401', LINKS_EXPIRY_MAX_DAYS: '1' },
    /LINKS_EXPIRY_MIN_SECONDS .* LINKS_EXPIRY_MAX_DAYS/,
  ],
  [{ KERNEL_FAULTS: 'links.no_such=kill' }, /KERNEL_FAULTS: there is no fault point links.no_such/],
  [{ LINKS_PURGE: 'webhook' }, /LINKS_PURGE .* LINKS_PURGE_URL/],
  [
    {
      PAYMENTS_STRIPE_SECRET_KEY: 'sk_live_1',
      PAYMENTS_STRIPE_BASE_URL: 'https://api.stripe.com.example.com',
    },
    /PAYMENTS_STRIPE_BASE_URL .* PAYMENTS_STRIPE_SECRET_KEY/,
  ],
  [{ PAYMENTS_STRIPE_BASE_URL: 'stripe' }, /PAYMENTS_STRIPE_BASE_URL is not an address/],
  [{ LINKS_COUNTRY_HEADER: 'cf-ipcountry' }, /LINKS_COUNTRY_HEADER .* KERNEL_TRUSTED_PROXIES/],
]

test.each(refused)('%j', async (environment, sentence) => {
  const config = loadConfig({}, { ...environment, DATA_DIR: '/nowhere/at/all' })
  const error = await start(config, () => {}, composition).catch((error_: unknown) => error_)
  expect(error).toMatchObject({ name: 'StartError', message: expect.stringMatching(sentence) })
})

test.each([
  {},
  { PROFILE: 'production' },
  { WEBHOOKS_LEASE_SECONDS: '22' },
  { LINKS_PURGE: 'purge', LINKS_PURGE_URL: 'https://edge.example.com' },
  { KERNEL_TRUSTED_PROXIES: '127.0.0.1, ::1, 10.0.0.0/8, fd00::/8' },
])('%j can work', environment => {
  expect(() => refuseCombinations(loadConfig({}, environment), composition.surfaces)).not.toThrow()
})
