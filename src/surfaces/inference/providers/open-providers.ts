/**
 * The configured providers: the primary provider, and further providers by name. In development
 * without settings, the provider is the sandbox. Its address is read again, because the sandbox may
 * have restarted.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideWorld } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { furtherProviders, primaryName, secretKey, type Further } from './provider-settings.ts'
import type { Limits } from './call.ts'
import { openLines, type Connection } from './lines.ts'
import { openCompatible } from './wire/chat.ts'
import { openOpenai } from './wire/responses.ts'
import { ProviderFailure, type Provider } from './provider.ts'

export type Providers = {
  /** Whether calls can be made: false in production without a provider. */
  readonly configured: boolean
  readonly names: readonly string[]
  find(name: string): Provider | undefined
  readonly primary: Primary | null
  close(): Promise<void>
}

export type Primary = {
  readonly name: string
  readonly text_model: string
  readonly embedding_model: string | null
}

const openai_address = 'https://api.openai.com/v1'
const webhook_path = '/webhooks/sandbox'

export function openProviders(kernel: Kernel): Providers {
  const { settings, profile } = kernel
  const sandboxed = primaryName(settings, profile) === 'sandbox'
  const opened = new Map<string, Provider>()
  const primary = sandboxed ? openSandboxed(kernel, opened) : openPrimary(kernel, opened)
  for (const one of furtherProviders(settings, profile)) {
    opened.set(one.name, openNamed(kernel, one))
  }
  const addresses = join(kernel.data_dir, 'sandbox', 'addresses.json')
  return {
    get configured() {
      // oxlint-disable-next-line node/no-sync -- development only, one look at a small file
      return sandboxed ? existsSync(addresses) : opened.size > 0
    },
    names: [...opened.keys()],
    find: name => opened.get(name),
    primary,
    close: async () => {
      await Promise.all([...opened.values()].map(one => one.close()))
    },
  }
}

function openPrimary(kernel: Kernel, opened: Map<string, Provider>): Primary | null {
  const { settings } = kernel
  const name = settings['inference.provider']
  if (name !== 'openai' && name !== 'openai_compatible') return null
  opened.set(
    name,
    openNamed(kernel, {
      name,
      kind: name,
      base_url: settings['inference.base_url'] ?? openai_address,
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
  { name, kind, base_url, api_key = '', ...rest }: Further,
): Provider {
  const lines = linesOf(kernel, name, () => ({ base_url, api_key }))
  const secrets = (rest.webhook_secrets ?? []).map(secretKey)
  return kind === 'openai'
    ? openOpenai({ name, lines, secrets: () => secrets })
    : openCompatible({ name, lines })
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
    return { base_url: api, api_key: key }
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

function linesOf(
  { settings, clock }: Kernel,
  name: string,
  connection: () => Connection | Promise<Connection>,
) {
  const limits: Limits = {
    attempt_timeout_ms: settings['inference.attempt_timeout_ms'],
    max_retries: settings['inference.max_retries'],
    first_event_ms: settings['inference.stream_first_event_ms'],
    idle_ms: settings['inference.stream_idle_ms'],
    stream_max_ms: settings['inference.stream_max_ms'],
  }
  const breaker_open_ms = settings['inference.breaker_open_ms']
  return openLines({ name, limits, breaker_open_ms, nowMs: () => clock.nowMs(), connection })
}
