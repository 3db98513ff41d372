/**
 * The adapters of the tenants' own providers. Each is opened with the address and the key that were
 * sealed together, so a key reaches no other host. A changed one is opened again; calls that run at
 * the old one may end.
 */
import { Buffer } from 'node:buffer'
import type { Kernel } from '../settings.ts'
import { addressRules, hostFault } from './own-hosts.ts'
import { openSecret } from './own-secrets.ts'
import { openAdapter } from './open-adapter.ts'
import type { Health, Provider } from './provider.ts'

/** A deployment as its provider is found. */
export type Reached = {
  readonly tenant_id: string
  readonly provider: string
  readonly own_provider: boolean
  /** Null for a provider of the platform, and for one that was disabled or deleted. */
  readonly own: { readonly mark: string; readonly sealed: string } | null
}
type Place = Pick<Reached, 'tenant_id' | 'provider'>
type Open = { readonly mark: string; readonly adapter: Provider }

const open_max = 1000
const nameOf = ({ tenant_id, provider }: Place) => `${tenant_id} ${provider}`

export function openOwnProviders(kernel: Kernel) {
  const rules = addressRules(kernel.settings)
  const open = new Map<string, Open>()
  const adapters = new Set<Provider>()
  const close = async (adapter: Provider) => {
    adapters.delete(adapter)
    await adapter.close()
  }
  /** No call takes longer. */
  const retire = (name: string) => {
    const adapter = open.get(name)?.adapter
    open.delete(name)
    if (!adapter) return
    setTimeout(() => void close(adapter), kernel.settings['inference.stream_max_ms']).unref()
  }
  return {
    of: (deployment: Reached): Provider | undefined => {
      const { own, tenant_id, provider: name } = deployment
      if (!own) return undefined
      const place = nameOf(deployment)
      const known = open.get(place)
      if (known?.mark === own.mark) return known.adapter
      const sealed = Buffer.from(own.sealed, 'base64')
      const { kind, base_url, auth } = openSecret(kernel, { tenant_id, name }, sealed)
      // The operator may have taken the host from the list.
      if (hostFault(kernel, base_url)) return undefined
      const connection = { base_url, auth, addresses: rules }
      const adapter = openAdapter(kernel, { name, kind, connection: () => connection })
      retire(place)
      adapters.add(adapter)
      open.set(place, { mark: own.mark, adapter })
      const [oldest] = open.keys()
      if (oldest !== undefined && open.size > open_max) retire(oldest)
      return adapter
    },
    health: (deployment: Place, model: string): Health =>
      open.get(nameOf(deployment))?.adapter.health(model) ?? 'ok',
    close: async () => {
      await Promise.all([...adapters].map(close))
    },
  }
}
