/**
 * The product for test files: a database (a clone of the product's template), real HTTP on loopback,
 * the sandbox's vendors, and accounts that registered and logged in like any other. Each test creates
 * its own tenant, so files that need no settings, clock, faults or kills of their own share a world.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { inject } from 'vitest'
import { loadConfig } from '../src/settings.ts'
import { sql } from '#dodeca/kernel'
import type { Platform } from '../src/runtime/open-platform.ts'
import type { Composition } from '../src/runtime/platform-parts.ts'
import { composition } from '../src/platform.ts'
import { start } from '../src/runtime/start.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { vendors } from '../src/sandbox/vendors.ts'
import type { Inside, MailToSend } from '../src/surfaces/identity/face.ts'
import { engineComposition } from '../src/surfaces/jobs/attempts/test/engine-composition.ts'
import { count, countPlatform } from './counts.ts'
import { shared } from './shared.ts'
import { call } from '../src/testing/call.ts'
import { peopleOf, type People } from '../src/testing/people.ts'
import { cloneDatabase } from './world.ts'

export { password, peopleOf, type Member, type People, type Tenant } from '../src/testing/people.ts'

/** Addresses and keys, by vendor. */
type Vendors = Readonly<Record<string, Readonly<Record<string, string>>>>

export type ProductWorld = People & {
  readonly url: string
  readonly database_url: string
  readonly data_dir: string
  readonly platform: Platform
  readonly identity: Inside
  /** Where the sandbox's vendors of this world listen. */
  readonly vendors: Vendors
  /** What a process of this world is configured with, for one more beside it. */
  readonly environment: Record<string, string>
  /** The mails that wait for an address, oldest first, as they would be sent now. */
  mails(address: string): Promise<MailToSend[]>
  close(): Promise<void>
}

/** What every product world is configured with, unless a file says otherwise. */
const usual = {
  PORT: '0',
  PUBLIC_URL: 'http://dodeca.test',
  LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
  KERNEL_RATE_FACTOR: '10000',
  KERNEL_SANDBOX: 'false',
  // Requests of a test must not be refused because the machine is busy.
  KERNEL_OVERLOAD_DELAY_MS: '60000',
  KERNEL_DATABASE_WAIT_MS: '20000',
  KERNEL_STATEMENT_TIMEOUT_MS: '30000',
  KERNEL_TRUSTED_PROXIES: '127.0.0.1',
  IDENTITY_EMAIL_SCOPE: 'tenant',
  IDENTITY_HASH_WAIT_MS: '30000',
}

/** Wide limits, short waits, addresses under `.test` and on loopback: for tests of all surfaces. */
const of_surfaces = {
  IDENTITY_ACCESS_TTL_SECONDS: '3600',
  JOBS_CONCURRENCY: '60',
  UPLOADS_PART_BYTES: String(5 * 1024 * 1024),
  UPLOADS_SWEEP_SECONDS: '0.2',
  // A busy machine unpacks slowly.
  UPLOADS_INSPECT_SECONDS: '150',
  UPLOADS_VERIFICATIONS: '8',
  NOTIFICATIONS_UNKNOWN_MAIL_SECONDS: '1',
  // A busy machine is no lost answer; tests of silence set less.
  PAYMENTS_PROVIDER_TIMEOUT_MS: '10000',
  PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
  PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
  PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
  PAYMENTS_DECLINES_PER_HOUR: '1000',
  PAYMENTS_BREAKER_OPEN_MS: '100',
  COMMERCE_PENDING_ORDERS: '1000',
  LINKS_EXTRA_SUFFIXES: 'test',
  LINKS_CREATES_PER_MINUTE: '10000',
  CHAT_PUSH_DELAY_MS: '50',
  INFERENCE_QUOTA_PRINCIPAL_OPERATIONS: '1000',
  INFERENCE_QUOTA_PRINCIPAL_STREAMS: '1000',
  INFERENCE_QUOTA_PRINCIPAL_REQUESTS_PER_MINUTE: '100000',
  RETRIEVAL_ENGINE: 'exact',
  RETRIEVAL_DEFAULT_PROFILE: 'hash-ngram-384@1',
  RETRIEVAL_PURGE_EVERY_SECONDS: '0',
  WEBHOOKS_ALLOWED_PORTS: '1-65535',
  WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
}

/** The surfaces with their defaults, for tests that compare with what the documentation says. */
export const as_documented = Object.fromEntries(Object.keys(of_surfaces).map(name => [name, '']))

/**
 * Without settings, or with `ROLES=api` alone: the world that all such files of this worker share, of
 * the product with types of jobs that tests steer. With other settings, or `{}`: a world of the
 * file's own, of the product or of `composed`.
 */
export async function openProductWorld(
  settings?: Record<string, string>,
  composed?: Composition,
): Promise<ProductWorld> {
  const { ROLES = 'api,worker', ...more } = settings ?? { ROLES: 'api,worker' }
  const own = composed !== undefined || Object.keys(more).length > 0 || !settings?.['ROLES']
  if (own && settings) return await openOwnWorld(settings, composed)
  const world = await shared(`product as ${ROLES}`, () =>
    openOwnWorld({ ROLES }, engineComposition),
  )
  // The next file must not meet the faults of this one.
  return { ...world, close: async () => world.platform.faults.clear() }
}

async function openOwnWorld(
  settings: Record<string, string>,
  composed = composition,
): Promise<ProductWorld> {
  count('worlds')
  const clone = await cloneDatabase('product_template')
  const data_dir = await mkdtemp(join(inject('folder'), 'product-'))
  const alone = settings['KERNEL_SANDBOX'] || settings['PROFILE'] === 'production'
  const sandbox = alone ? null : await openSandbox(data_dir, vendors)
  const environment = {
    ...usual,
    ...of_surfaces,
    ...(sandbox ? providersIn(sandbox.addresses) : {}),
    ...clone.environment,
    DATA_DIR: data_dir,
    ...settings,
  }
  const running = await start(loadConfig({}, environment), () => {}, composed)
  const { platform } = running
  countPlatform(platform.kernel.metrics.registry)
  const url = `http://127.0.0.1:${running.port}`
  const identity = platform.opened['identity']?.face as Inside
  return {
    ...peopleOf((method, path, asked) => call(url, method, path, asked), platform.kernel.db),
    url,
    database_url: clone.url,
    data_dir,
    platform,
    identity,
    vendors: sandbox?.addresses ?? {},
    environment: { ...environment, ...clone.beside },
    mails: address => mailsTo(platform, identity, address),
    close: async () => {
      await running.stop()
      await sandbox?.close()
      await clone.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

/** The vendors of the sandbox as the platform's providers; models also under names, each with a circuit of its own. */
function providersIn({
  stripe,
  paypal,
  openai,
  anthropic,
  gemini,
}: Vendors): Record<string, string> {
  const at = (name: string, kind: string, vendor: Vendors[string] = {}) => {
    return { name, kind, base_url: vendor['api'], api_key: vendor['key'] }
  }
  const named = Array.from({ length: 48 }, (_, index) => at(`p${index}`, 'openai', openai))
  const models = [openai, anthropic, gemini].map(one => new URL(one?.['api'] ?? '').host)
  return {
    PAYMENTS_STRIPE_SECRET_KEY: stripe?.['key'] ?? '',
    PAYMENTS_STRIPE_PUBLISHABLE_KEY: stripe?.['publishable_key'] ?? '',
    PAYMENTS_STRIPE_BASE_URL: stripe?.['api'] ?? '',
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: stripe?.['webhook_secret'] ?? '',
    PAYMENTS_PAYPAL_CLIENT_ID: paypal?.['client_id'] ?? '',
    PAYMENTS_PAYPAL_SECRET: paypal?.['client_secret'] ?? '',
    PAYMENTS_PAYPAL_WEBHOOK_ID: paypal?.['webhook_id'] ?? '',
    PAYMENTS_PAYPAL_BASE_URL: paypal?.['api'] ?? '',
    ...modelsAt(openai),
    INFERENCE_PROVIDERS: JSON.stringify([
      ...named,
      at('anthropic', 'anthropic', anthropic),
      at('gemini', 'gemini', gemini),
    ]),
    INFERENCE_TENANT_PROVIDER_HOSTS: models.join(','),
  }
}

/** The settings that let a platform call the sandbox's model provider. */
export function modelsAt(openai: Vendors[string] = {}): Record<string, string> {
  return {
    INFERENCE_PROVIDER: 'openai',
    INFERENCE_BASE_URL: openai['api'] ?? '',
    INFERENCE_API_KEY: openai['key'] ?? '',
    INFERENCE_MODEL: 'sandbox-large',
    INFERENCE_EMBEDDING_MODEL: 'sandbox-embedding',
    INFERENCE_WEBHOOK_SECRETS: openai['webhook_secret'] ?? '',
  }
}

async function mailsTo({ kernel }: Platform, identity: Inside, address: string) {
  const rows = await kernel.db.many(
    Type.Object({ id: Type.String() }),
    sql`select id from identity.mails where address = ${address} order by id`,
  )
  const mails = await Promise.all(rows.map(({ id }) => identity.mail(id)))
  return mails.filter(mail => mail !== undefined)
}
