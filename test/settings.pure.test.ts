/** Settings that cannot work stop the start with a sentence for each, before anything is touched. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { StartError } from '#dodeca/kernel'
import { describeSettings } from '../src/runtime/config.ts'
import { loadConfig, tables } from '../src/settings.ts'

const timeouts = (total: number) =>
  `dns:2000,connect:3000,tls:3000,write:5000,first_byte:10000,body:5000,total:${total}`

const production = { PROFILE: 'production', NOTIFICATIONS_EMAIL_PROVIDERS: 'none' }

const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ IDENTITY_RP_ID: 'https://example.com' }, /IDENTITY_RP_ID .* not a domain/],
  [
    { PUBLIC_URL: 'https://api.notexample.com', IDENTITY_RP_ID: 'example.com' },
    /IDENTITY_RP_ID is example\.com, but PUBLIC_URL is at api\.notexample\.com/,
  ],
  [
    { IDENTITY_PASSKEY_ORIGINS: 'http://app.example.com' },
    /IDENTITY_PASSKEY_ORIGINS .* not an origin/,
  ],
  [
    { IDENTITY_PASSKEY_ORIGINS: 'https://example.com/app' },
    /IDENTITY_PASSKEY_ORIGINS .* not an origin/,
  ],
  [
    {
      PUBLIC_URL: 'https://api.example.com',
      IDENTITY_RP_ID: 'example.com',
      IDENTITY_PASSKEY_ORIGINS: 'https://notexample.com',
    },
    /IDENTITY_PASSKEY_ORIGINS .* outside IDENTITY_RP_ID/,
  ],
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
    { LINKS_EXPIRY_MIN_SECONDS: '86401', LINKS_EXPIRY_MAX_DAYS: '1' },
    /LINKS_EXPIRY_MIN_SECONDS .* LINKS_EXPIRY_MAX_DAYS/,
  ],
  [{ KERNEL_FAULTS: 'links.no_such=explode' }, /KERNEL_FAULTS: "links.no_such=explode" is not/],
  [{ LINKS_PURGE: 'webhook' }, /LINKS_PURGE .* LINKS_PURGE_URL/],
  [
    {
      PAYMENTS_STRIPE_SECRET_KEY: 'sk_live_1',
      PAYMENTS_STRIPE_BASE_URL: 'https://api.stripe.com.example.com',
    },
    /PAYMENTS_STRIPE_BASE_URL .* PAYMENTS_STRIPE_SECRET_KEY/,
  ],
  [{ PAYMENTS_STRIPE_BASE_URL: 'stripe' }, /PAYMENTS_STRIPE_BASE_URL must be a URL/],
  [
    { PAYMENTS_STRIPE_SECRET_KEY: 'sk_test_1', ...production },
    /PAYMENTS_STRIPE_WEBHOOK_SECRETS is/,
  ],
  [{ IDENTITY_OIDC_PROVIDERS: '{}' }, /IDENTITY_OIDC_PROVIDERS is neither a list/],
  [{ IDENTITY_REDIRECT_URIS: 'javascript:alert(1)' }, /IDENTITY_REDIRECT_URIS names/],
  [{ IDENTITY_LINK_BASE: 'account' }, /IDENTITY_LINK_BASE must be a URL/],
  [{ ADMIN_EMAIL: 'notmail' }, /ADMIN_EMAIL is not a mail address/],
  [{ INFERENCE_PROVIDERS: 'none' }, /INFERENCE_PROVIDERS is not a list/],
  [{ INFERENCE_WEBHOOK_SECRETS: 'x' }, /INFERENCE_WEBHOOK_SECRETS: /],
  [{ INFERENCE_PROVIDER: 'sandbox', ...production }, /INFERENCE_PROVIDER=sandbox works in/],
  [{ NOTIFICATIONS_SMS_PROVIDERS: 'twilio' }, /NOTIFICATIONS_SMS_PROVIDERS is not understood/],
  [{ NOTIFICATIONS_OUTCOME_WEBHOOKS: 'a=b' }, /NOTIFICATIONS_OUTCOME_WEBHOOKS is not understood/],
  [
    { NOTIFICATIONS_FCM_SERVICE_ACCOUNT: '/nowhere' },
    /NOTIFICATIONS_FCM_SERVICE_ACCOUNT is neither/,
  ],
  [{ LINKS_DNS_SERVERS: 'dns.example.com' }, /LINKS_DNS_SERVERS: Write addresses/],
  [{ LINKS_URL_REPUTATION: 'web_risk', ...production }, /needs LINKS_WEB_RISK_KEY/],
  [{ WEBHOOKS_DNS_SERVERS: 'dns.example.com' }, /WEBHOOKS_DNS_SERVERS: Write addresses/],
  [{ WEBHOOKS_KEYRING: 'k1' }, /WEBHOOKS_KEYRING: The keyring cannot be read/],
  [{ WEBHOOKS_ALLOWED_PORTS: '0' }, /WEBHOOKS_ALLOWED_PORTS: "0" is not a port/],
  [{ WEBHOOKS_TIMEOUTS: 'total:1' }, /WEBHOOKS_TIMEOUTS is not understood/],
  [{ WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '10.0.0.0/64' }, /WEBHOOKS_ALLOWED_PRIVATE_CIDRS: /],
  [{ RETRIEVAL_ALLOWED_PRIVATE_CIDRS: '10.0.0.0/64' }, /RETRIEVAL_ALLOWED_PRIVATE_CIDRS: /],
  [{ RETRIEVAL_ALLOWED_PORTS: '70000' }, /RETRIEVAL_ALLOWED_PORTS: "70000" is not a port/],
  [{ RETRIEVAL_EMBEDDING_MODEL: 'large' }, /RETRIEVAL_EMBEDDING_MODEL: "large" is not understood/],
  [{ RETRIEVAL_DEFAULT_PROFILE: 'large' }, /RETRIEVAL_DEFAULT_PROFILE: large is not one of/],
  [{ KERNEL_KEYRING: 'k1' }, /KERNEL_KEYRING: The keyring cannot be read/],
  [{ KERNEL_PEPPER: 'salt' }, /KERNEL_PEPPER: The pepper is not/],
  [{ KERNEL_METRICS_KEY: 'x'.repeat(31) }, /KERNEL_METRICS_KEY must have 32 characters/],
  [{ DATABASE_URL: 'embedded', PROCESSES: '100' }, /100|too many for the embedded PostgreSQL/],
  [{ KERNEL_FAULTS: 'x=kill', ...production }, /KERNEL_FAULTS is for development/],
  [{ LINKS_COUNTRY_HEADER: 'cf-ipcountry' }, /LINKS_COUNTRY_HEADER .* KERNEL_TRUSTED_PROXIES/],
]

const sentencesOf = (environment: Record<string, string>): string => {
  try {
    loadConfig({}, environment)
    return ''
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}

test.each(refused)('%j', (environment, sentence) => {
  expect(sentencesOf(environment)).toMatch(sentence)
})

const key = randomBytes(32).toString('base64')
/** What production requires. */
const complete = {
  ...production,
  DATABASE_URL: 'postgres://127.0.0.1/x',
  KERNEL_KEYRING: `k1:${key}`,
  KERNEL_PEPPER: key,
}

test.each([
  {},
  complete,
  { WEBHOOKS_LEASE_SECONDS: '22' },
  { LINKS_PURGE: 'purge', LINKS_PURGE_URL: 'https://edge.example.com' },
  { KERNEL_TRUSTED_PROXIES: '127.0.0.1, ::1, 10.0.0.0/8, fd00::/8' },
  { RETRIEVAL_EMBEDDING_MODEL: 'm-3:1536', RETRIEVAL_DEFAULT_PROFILE: 'm-3-1536@1' },
])('%j can work', environment => {
  expect(sentencesOf(environment)).toBe('')
})

test('all faults are reported together: names, values and combinations', () => {
  const sentences = sentencesOf({
    PROFILE: 'production',
    PORT: 'http',
    DATABSE_URL: 'postgres://127.0.0.1/x',
    KERNEL_BUSS: 'nats',
    LINKS_CODE_LENGTH: '3',
    LINKS_PURGE: 'purge',
    NOTIFICATIONS_EMAIL_PROVIDERS: 'relay=smtps://user:secret@mail.test:465',
  }).split('\n')
  for (const name of [
    'PORT must be',
    'no setting DATABSE_URL',
    'no setting KERNEL_BUSS',
    'LINKS_CODE_LENGTH must be',
    'LINKS_PURGE is set',
    'set NOTIFICATIONS_MAIL_FROM',
    'KERNEL_KEYRING and KERNEL_PEPPER must both be set',
    'Production requires a database',
  ]) {
    expect(sentences.filter(one => one.includes(name))).toHaveLength(1)
  }
  expect(sentences).toHaveLength(8)
})

test('a value that cannot be read hides the rules about it', () => {
  const sentences = sentencesOf({ ...complete, DATABASE_URL: 'mysql://127.0.0.1/x' })
  expect(sentences).toMatch(/^DATABASE_URL must look like [^\n]*$/)
})

const secret_names = describeSettings(tables).flatMap(one => (one.secret ? [one.variable] : []))

test.each(secret_names)('no sentence shows the value of %s', name => {
  const value = 'never:to=be,shown'
  expect(sentencesOf({ ...complete, [name]: value })).not.toMatch(/never|shown/)
  expect(sentencesOf({ ...complete, [name]: '', [`${name}_FILE`]: value })).not.toMatch(
    /never|shown/,
  )
})

/**
 * Everything else that a surface refuses at its start depends on more than settings. A check of
 * settings outside of what `settings.ts` loads would be found only after the database was made.
 */
test('a surface refuses settings only in files that its settings.ts loads', async () => {
  const others: string[] = []
  for await (const file of glob('src/surfaces/*/**/*.ts', { cwd: root, exclude: isTestFile })) {
    const text = await readFile(join(root, file), 'utf8')
    const surface = file.split('/').slice(0, 3).join('/')
    if (text.includes('new StartError(') && !(await loadedBy(`${surface}/settings.ts`)).has(file)) {
      others.push(file)
    }
  }
  // The strength of ADMIN_PASSWORD counts only if the account is made.
  expect(others).toEqual(['src/surfaces/identity/accounts/make-first-administrator.ts'])
})

const root = resolve(import.meta.dirname, '..')
const isTestFile = (path: string) => /(^|\/)test(\/|$)/.test(path)

/** The files that this one imports, and what they import. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = await readFile(join(root, file), 'utf8')
  for (const [, path = ''] of text.matchAll(
    /^(?:import|export) (?!type )[^;]*? from '(\.[^']+)'/gm,
  )) {
    await loadedBy(relative(root, resolve(root, dirname(file), path)), seen)
  }
  return seen
}

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dodeca-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const without = (name: keyof typeof complete) => ({ ...complete, [name]: '' })

  test.each(['', '\n', '\r\n'])('is read without its last newline (%j)', end => {
    const url = 'postgres://127.0.0.1/y'
    const environment = { ...without('DATABASE_URL'), DATABASE_URL_FILE: file('url', url + end) }
    expect(loadConfig({}, environment).database_url).toBe(url)
  })

  test('may be the secret of a list, and of 64 KiB', () => {
    const value = `${'x'.repeat(32_767)},${'y'.repeat(32_768)}`
    const { settings } = loadConfig(
      {},
      { PAYMENTS_STRIPE_WEBHOOK_SECRETS_FILE: file('64k', value) },
    )
    expect(settings['payments.stripe_webhook_secrets']).toEqual(value.split(','))
  })

  test('gives way to a value from the command line', () => {
    const environment = {
      ...without('DATABASE_URL'),
      DATABASE_URL_FILE: file('u', 'postgres://x/y'),
    }
    const config = loadConfig({ DATABASE_URL: 'embedded' }, environment)
    expect([config.database_url, config.embedded_by_name]).toEqual([null, true])
  })

  test.each([
    ['missing', join(folder, 'nowhere'), /cannot be read \(ENOENT\)/],
    ['a folder', folder, /is not a regular file/],
    ['an endless device', '/dev/zero', /is not a regular file/],
    ['1 MB', file('large', 'secret-content'.repeat(80_000)), /is larger than 64 KiB/],
    ['empty', file('empty', '\n'), /with the secret as text/],
    ['not text', file('bytes', Buffer.from([115, 101, 99, 0xff, 0xfe])), /with the secret as text/],
  ])('%s: refused by the name of the variable, and nothing is shown', (_, path, sentence) => {
    const said = sentencesOf({ ...without('KERNEL_PEPPER'), KERNEL_PEPPER_FILE: path })
    expect(said).toMatch(sentence)
    expect(said).toMatch(/^KERNEL_PEPPER_FILE [^\n]*$/)
    expect(said).not.toMatch(/secret-content/)
    expect(said).not.toContain(folder)
  })

  test('both: refused', () => {
    const said = sentencesOf({ ...complete, KERNEL_PEPPER_FILE: file('pepper', 'secret-content') })
    expect(said).toBe('KERNEL_PEPPER and KERNEL_PEPPER_FILE are both set. Unset one of them.')
  })

  test('is for secrets alone', () => {
    expect(sentencesOf({ KERNEL_BUS_FILE: file('bus', 'nats') })).toMatch(
      /no setting KERNEL_BUS_FILE/,
    )
  })
})
