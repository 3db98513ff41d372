/**
 * Connects to Stripe: to its own address with a key, or to the sandbox in development. The
 * sandbox's address is read again after it restarts. A live key is never sent to another host than
 * Stripe's own.
 */
import { Buffer } from 'node:buffer'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideWorld } from '#dodeca/kernel'
import { stripe_address, type Kernel } from '../settings.ts'
import { openStripeClient, type StripeClient } from './call-stripe.ts'
import { ProviderFailure } from './port.ts'

export type StripeLine = {
  client(): Promise<StripeClient>
  secrets(): Promise<readonly KeyObject[]>
  configured(): boolean
  /** What pages have: the key, and the address of the script. */
  published(): Promise<{ readonly key: string; readonly script_url: string } | null>
}

/** A double of Stripe at another address has its script there, too. */
function scriptAt(base_url: string): string {
  const { origin } = new URL(base_url)
  return origin === stripe_address ? 'https://js.stripe.com/v3/' : `${origin}/js/v3`
}

const webhook_path = '/v1/providers/stripe/webhooks'

export function connectStripe(kernel: Kernel): StripeLine {
  const { settings, profile } = kernel
  const key = settings['payments.stripe_secret_key']
  const base_url = settings['payments.stripe_base_url'] ?? stripe_address
  const given = settings['payments.stripe_webhook_secrets'].map(secretKey)
  const sandboxed = key === null && profile === 'development'
  const timeout = settings['payments.provider_timeout_ms']
  const outside = openOutsideWorld(kernel.data_dir)
  const addresses = join(kernel.data_dir, 'sandbox', 'addresses.json')
  let open: { readonly address: string; readonly client: StripeClient } | undefined

  const sandbox = async () => {
    const found = (await outside.addresses())?.['stripe']
    if (!found) throw new ProviderFailure('not_sent', 'sandbox_absent')
    return found
  }
  const introduce = async () => {
    await outside.ask({
      vendor: 'stripe',
      method: 'POST',
      path: 'config',
      body: { webhook_url: kernel.public_url + webhook_path },
    })
  }
  return {
    // oxlint-disable-next-line node/no-sync -- development only, one look at a small file
    configured: () => key !== null || (sandboxed && existsSync(addresses)),
    published: async () => {
      const publishable = settings['payments.stripe_publishable_key']
      if (key !== null) {
        return publishable === null ? null : { key: publishable, script_url: scriptAt(base_url) }
      }
      if (!sandboxed) return null
      const found = (await outside.addresses())?.['stripe']
      if (!found) return null
      const { api = '', publishable_key = '' }: Record<string, string> = found
      return { key: publishable_key, script_url: `${api}/js/v3` }
    },
    client: async () => {
      if (key !== null) {
        open ??= { address: base_url, client: openStripeClient(key, base_url, timeout) }
        return open.client
      }
      if (!sandboxed) throw new ProviderFailure('not_sent', 'provider_not_configured')
      const { api = '', key: sandbox_key = '' }: Record<string, string> = await sandbox()
      if (open?.address !== api) {
        await open?.client.close()
        open = { address: api, client: openStripeClient(sandbox_key, api, timeout) }
        await introduce()
      }
      return open.client
    },
    secrets: async () => {
      if (given.length > 0 || !sandboxed) return given
      return [secretKey((await sandbox())['webhook_secret'] ?? '')]
    },
  }
}

/** A key of the sandbox begins with this. In development it is sent there, and any other to Stripe. */
const of_sandbox = 'sk_test_sandbox'

type AccountKeys = {
  readonly secret_key: string
  readonly publishable_key: string | undefined
  readonly webhook_secret: string | null
}

export type AccountLine = StripeLine & { close(): Promise<void> }

/** An account of a tenant. Its key is sent to the address that the platform's settings give. */
export function connectAccount(
  { settings, profile, data_dir }: Kernel,
  { secret_key, publishable_key, webhook_secret }: AccountKeys,
): AccountLine {
  const base_url = settings['payments.stripe_base_url']
  const timeout = settings['payments.provider_timeout_ms']
  const secrets = webhook_secret === null ? [] : [secretKey(webhook_secret)]
  const sandboxed =
    base_url === null && profile === 'development' && secret_key.startsWith(of_sandbox)
  const outside = openOutsideWorld(data_dir)
  const addressOf = async () => {
    if (!sandboxed) return base_url ?? stripe_address
    const found = (await outside.addresses())?.['stripe']?.['api']
    if (!found) throw new ProviderFailure('not_sent', 'sandbox_absent')
    return found
  }
  let open: { readonly address: string; readonly client: StripeClient } | undefined
  return {
    configured: () => true,
    published: async () =>
      publishable_key === undefined
        ? null
        : { key: publishable_key, script_url: scriptAt(await addressOf()) },
    client: async () => {
      const address = await addressOf()
      if (open?.address !== address) {
        const before = open
        open = { address, client: openStripeClient(secret_key, address, timeout) }
        await before?.client.close()
      }
      return open.client
    },
    secrets: async () => secrets,
    close: async () => await open?.client.close(),
  }
}

/** Created once, because creating it for each message costs as much as verifying the message. */
function secretKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret))
}
