/**
 * Connects to PayPal: to its address with the credentials of an account, or to the sandbox in
 * development. The sandbox's address is read again after it restarts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideWorld } from '#dodeca/kernel'
import { paypal_address, type Kernel } from '../settings.ts'
import { openPayPalClient, type PayPalClient, type PayPalKeys } from './call-paypal.ts'
import {
  of_paypal,
  of_paypal_sandbox,
  openCertificates,
  type Certificates,
  type Trusted,
} from './paypal-certificates.ts'
import { ProviderFailure } from './port.ts'

export type PayPalLine = {
  client(): Promise<PayPalClient>
  configured(): boolean
  client_id(): Promise<string | null>
  /** Null: no webhook is accepted. */
  webhook_id(): Promise<string | null>
  readonly certificates: Certificates
  trusted(): Promise<Trusted>
  close(): Promise<void>
}

const paypal_webhook_path = '/v1/providers/paypal/webhooks'
/** The client ids of our own sandbox begin with this. In development they are sent there. */
const of_sandbox = 'sandbox_'
const sandbox_address = 'https://api-m.sandbox.paypal.com'

/** The platform's own account. */
export function connectPayPal(kernel: Kernel): PayPalLine {
  const { settings, profile } = kernel
  const client_id = settings['payments.paypal_client_id']
  const client_secret = settings['payments.paypal_secret'] ?? ''
  if (client_id !== null) {
    const webhook_id = settings['payments.paypal_webhook_id']
    return connectPayPalAccount(kernel, { client_id, client_secret }, webhook_id)
  }
  const sandboxed = profile === 'development'
  const outside = openOutsideWorld(kernel.data_dir)
  const addresses = join(kernel.data_dir, 'sandbox', 'addresses.json')
  const sandbox = async () => {
    const found = sandboxed ? (await outside.addresses())?.['paypal'] : undefined
    if (!found) throw new ProviderFailure('not_sent', 'provider_not_configured')
    return found
  }
  const keys = async () => {
    const { client_id: id = '', client_secret: secret = '' } = await sandbox()
    return { client_id: id, client_secret: secret }
  }
  const addressOf = async () => (await sandbox())['api'] ?? ''
  const introduce = async () => {
    await outside.ask({
      vendor: 'paypal',
      method: 'POST',
      path: 'config',
      body: { webhook_url: kernel.public_url + paypal_webhook_path },
    })
  }
  return {
    ...openLine(settings['payments.provider_timeout_ms'], addressOf, keys, introduce),
    // oxlint-disable-next-line node/no-sync -- development only, one look at a small file
    configured: () => sandboxed && existsSync(addresses),
    client_id: async () => (await keys().catch(() => null))?.client_id ?? null,
    webhook_id: async () => (await sandbox())['webhook_id'] ?? null,
  }
}

/** An account of a tenant, or the platform's with credentials from the settings. */
export function connectPayPalAccount(
  { settings, profile, data_dir }: Kernel,
  keys: PayPalKeys,
  webhook_id: string | null,
): PayPalLine {
  const base_url = settings['payments.paypal_base_url']
  const sandboxed =
    base_url === null && profile === 'development' && keys.client_id.startsWith(of_sandbox)
  const outside = openOutsideWorld(data_dir)
  const addressOf = async () => {
    if (!sandboxed) return base_url ?? paypal_address
    const found = (await outside.addresses())?.['paypal']?.['api']
    if (!found) throw new ProviderFailure('not_sent', 'sandbox_absent')
    return found
  }
  const timeout_ms = settings['payments.provider_timeout_ms']
  return {
    ...openLine(timeout_ms, addressOf, async () => keys),
    configured: () => true,
    client_id: async () => keys.client_id,
    webhook_id: async () => webhook_id,
  }
}

function openLine(
  timeout_ms: number,
  addressOf: () => Promise<string>,
  keysOf: () => Promise<PayPalKeys>,
  opened: () => Promise<void> = async () => {},
) {
  let open: { readonly address: string; readonly client: PayPalClient } | undefined
  return {
    certificates: openCertificates(),
    trusted: async () => trustedAt(await addressOf()),
    client: async () => {
      const address = await addressOf()
      if (open?.address !== address) {
        const before = open
        open = { address, client: openPayPalClient(await keysOf(), address, timeout_ms) }
        await before?.client.close()
        await opened()
      }
      return open.client
    },
    close: async () => await open?.client.close(),
  }
}

/** A double of PayPal at another address has its certificates there, too. */
function trustedAt(address: string): Trusted {
  const { origin } = new URL(address)
  if (origin === paypal_address) return of_paypal
  if (origin === sandbox_address) return of_paypal_sandbox
  return { origins: [origin], names: of_paypal_sandbox.names }
}
