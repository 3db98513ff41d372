/**
 * Where a tenant's own provider may be: at a vendor, or at a host that the operator of the platform
 * has listed. Its addresses are checked again at each connection.
 */
import { openAddressRules, type Deployment } from '#dodeca/kernel'

/** A name that begins with a dot stands for every name below it. */
const vendors = [
  'api.openai.com',
  '.api.openai.com',
  'api.anthropic.com',
  'generativelanguage.googleapis.com',
  '.openai.azure.com',
  '.services.ai.azure.com',
]
const bedrock =
  /^(?:bedrock-runtime\.[a-z]{2}(?:-[a-z]+)+-\d\.amazonaws\.com|bedrock-mantle\.[a-z]{2}(?:-[a-z]+)+-\d\.api\.aws)$/

type Settings = { readonly 'inference.tenant_provider_hosts': readonly string[] }
type Given = { readonly settings: Settings; readonly profile: Deployment['profile'] }
export type AddressRules = ReturnType<typeof openAddressRules>

export function addressRules(settings: Settings): AddressRules {
  return openAddressRules({
    ports: [443],
    allow: [...settings['inference.tenant_provider_hosts']],
  })
}

type HostFault = 'address' | 'host'

/** Undefined for an address that may be called. */
export function hostFault({ settings, profile }: Given, base_url: string): HostFault | undefined {
  const url = URL.parse(base_url)
  const listed = settings['inference.tenant_provider_hosts']
  if (!url || url.username || url.password || url.search || url.hash) return 'address'
  if (/[?#]$/.test(base_url)) return 'address'
  const is_listed = listed.includes(url.host)
  // Development may use a listed server on this machine.
  const is_near = profile === 'development' && is_listed && url.protocol === 'http:'
  if (url.protocol !== 'https:' && !is_near) return 'address'
  if (url.port !== '' && !is_listed) return 'address'
  const { hostname } = url
  const may = [...vendors, ...listed].some(name =>
    name.startsWith('.') ? hostname.endsWith(name) : hostname === name,
  )
  return is_listed || may || bedrock.test(hostname) ? undefined : 'host'
}
