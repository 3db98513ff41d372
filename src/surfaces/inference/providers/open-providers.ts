/**
 * The configured providers: the primary provider, and further providers by name; beside them the
 * tenants' own. In development without settings, the provider is the sandbox. Its address is read
 * again, because the sandbox may have restarted.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideWorld } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Connection } from './lines.ts'
import { furtherProviders, primaryName, secretKey, type Further } from './provider-settings.ts'
import { usual_addresses, usualAuth } from './auth.ts'
import { linesOf, openAdapter } from './open-adapter.ts'
import { openOwnProviders, type Reached } from './own.ts'
import { openOpenai } from './wire/responses.ts'
import { provider_kinds, ProviderFailure, type Health, type Provider } from './provider.ts'

export type Providers = {
  /** Whether calls can be made: false in production without a provider. */
  readonly configured: boolean
  readonly names: readonly string[]
  /** A provider of the platform. */
  find(name: string): Provider | undefined
  /** The provider of a deployment, which may be the tenant's own. A key is never replaced. */
  of(deployment: Reached): Provider | undefined
  health(deployment: Omit<Reached, 'own'> & { readonly model_name: string }): Health
  readonly primary: Primary | null
  close(): Promise<void>
}

export type Primary = {
  readonly name: string
  readonly text_model: string
  readonly embedding_model: string | null
}

const webhook_path = '/webhooks/sandbox'

export function openProviders(kernel: Kernel): Providers {
  const { settings, profile } = kernel
  const sandboxed = primaryName(settings, profile) === 'sandbox'
  const opened = new Map<string, Provider>()
  const primary = sandboxed ? openSandboxed(kernel, opened) : openPrimary(kernel, opened)
  for (const one of furtherProviders(settings, profile)) {
    opened.set(one.name, openNamed(kernel, one))
  }
  const own = openOwnProviders(kernel)
  const addresses = join(kernel.data_dir, 'sandbox', 'addresses.json')
  return {
    get configured() {
      // oxlint-disable-next-line node/no-sync -- development only, one look at a small file
      return sandboxed ? existsSync(addresses) : opened.size > 0
    },
    names: [...opened.keys()],
    find: name => opened.get(name),
    of: deployment =>
      deployment.own_provider ? own.of(deployment) : opened.get(deployment.provider),
    health: ({ model_name: model, ...deployment }) =>
      deployment.own_provider
        ? own.health(deployment, model)
        : (opened.get(deployment.provider)?.health(model) ?? 'open'),
    primary,
    close: async () => {
      await Promise.all([own.close(), ...[...opened.values()].map(one => one.close())])
    },
  }
}

function openPrimary(kernel: Kernel, opened: Map<string, Provider>): Primary | null {
  const { settings } = kernel
  const name = provider_kinds.find(kind => kind === settings['inference.provider'])
  if (!name) return null
  opened.set(
    name,
    openNamed(kernel, {
      name,
      kind: name,
      ...(settings['inference.base_url'] ? { base_url: settings['inference.base_url'] } : {}),
      api_key: settings['inference.api_key'] ?? '',
      webhook_secrets: [...settings['inference.webhook_secrets']],
    }),
  )
  return {
    name,
    text_model: settings['inference.model'] ?? '',
    embedding_model: settings['inference.embedding_model'],
  }
}

function openNamed(
  kernel: Kernel,
  { name, kind, base_url = usual_addresses[kind] ?? '', api_key = '', ...rest }: Further,
): Provider {
  // Some servers require a key even if they have none.
  const auth = rest.auth ?? usualAuth(kind, api_key || 'none')
  const connection = { base_url, auth }
  const secrets = (rest.webhook_secrets ?? []).map(secretKey)
  return openAdapter(kernel, { name, kind, connection: () => connection, secrets })
}

function openSandboxed(kernel: Kernel, opened: Map<string, Provider>): Primary {
  const { settings } = kernel
  const outside = openOutsideWorld(kernel.data_dir)
  const sandbox = async () => {
    const found = (await outside.addresses())?.['openai']
    if (found) return found
    throw new ProviderFailure('service_unavailable', { retryable: true, reason: 'sandbox_absent' })
  }
  let introduced = ''
  const connection = async (): Promise<Connection> => {
    const { api = '', key = '' } = await sandbox()
    if (introduced !== api) {
      introduced = api
      const body = { webhook_url: kernel.public_url + webhook_path }
      await outside.ask({ vendor: 'openai', method: 'POST', path: 'config', body })
    }
    return { base_url: api, auth: usualAuth('openai', key) }
  }
  const secrets = async () => [secretKey((await sandbox())['webhook_secret'] ?? '')]
  const name = 'sandbox'
  opened.set(name, openOpenai({ name, lines: linesOf(kernel, name, connection), secrets }))
  return {
    name,
    text_model: settings['inference.model'] ?? 'sandbox-large',
    embedding_model: settings['inference.embedding_model'] ?? 'sandbox-embedding',
  }
}
