/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { faultsIn, refusals, setting } from '#dodeca/kernel'
import type { Deployment, KernelOf, SettingTable } from '#dodeca/kernel'
import { addressRules } from './providers/own-hosts.ts'
import { provider_kinds } from './providers/provider.ts'
import { furtherProviders, secretKey } from './providers/provider-settings.ts'

// prettier-ignore
export const settings = {
  'inference.provider': { ...setting.text('Which provider runs the models; in development without one the sandbox', 'none'), oneOf: ['none', 'sandbox', ...provider_kinds] },
  'inference.base_url': setting.address('Address of the provider, where it is not the usual one of its vendor'),
  'inference.api_key': setting.secret('Key of the provider'),
  'inference.model': setting.optional('Text model of the generation endpoints and of the alias `default`, by its name at the provider'),
  'inference.embedding_model': setting.optional('Embedding model of the alias `embedding`, by its name at the provider'),
  'inference.webhook_secrets': setting.secrets('Signing secrets (whsec_…) of the provider, several while one is rotated'),
  'inference.providers': setting.secret('Further providers as a JSON list of {name, kind, base_url, api_key, auth, webhook_secrets}'),
  'inference.tenant_provider_hosts': setting.list('Hosts beside the vendors at which tenants may have own providers: names, `.example.com` for all below, addresses with a port, and private networks that their names may lead to'),
  'inference.tenant_providers_max': setting.count(20, 'providers', 'Own providers of models of a tenant', 0, 1000),
  'inference.price': setting.numbers([0.4, 0.1, 1.6], 'currency/1m tokens', 'First price of a configured model: input, cached input, output; later POST /v1/model-prices'),
  'inference.currency': setting.text('Currency of prices and budgets', 'USD'),
  'inference.max_context': setting.count(128_000, 'tokens', 'Context of a configured model at its first start; later PATCH /v1/models/{id}', 1000, 10_000_000),
  'inference.max_output': setting.count(16_384, 'tokens', 'Longest output of a configured model at its first start; later PATCH /v1/models/{id}', 16, 1_000_000),
  'inference.attempt_timeout_ms': setting.count(30_000, 'ms', 'Longest time of one attempt of a blocking call or an embedding; of a stream or a job, to its headers', 50, 600_000),
  'inference.max_retries': setting.count(2, 'retries', 'Retries of one call at one deployment', 0, 5),
  'inference.deadline_ms': setting.count(75_000, 'ms', 'Longest time of a blocking call, where it sets none', 100, 600_000),
  'inference.stream_first_event_ms': setting.count(30_000, 'ms', 'Longest wait for the first event of the provider', 50, 600_000),
  'inference.stream_idle_ms': setting.count(20_000, 'ms', 'Longest wait for the next event of the provider', 50, 600_000),
  'inference.stream_max_ms': setting.count(300_000, 'ms', 'Longest time of one stream of the provider', 100, 3_600_000),
  'inference.deployment_concurrency': setting.count(64, 'calls', 'Calls of one deployment under way in one process', 1, 10_000),
  'inference.breaker_open_ms': setting.count(15_000, 'ms', 'How long a deployment is left alone once half of its calls failed', 10, 600_000),
  'inference.lease_seconds': setting.count(30, 's', 'How long a reservation outlives the process that holds it', 2, 600),
  'inference.tool_steps_max': setting.count(32, 'steps', 'Most answers of a model in one call, where the platform performs what it calls', 1, 1000),
  'inference.tool_steps': setting.count(8, 'steps', 'The same, where the call sets none', 1, 1000),
  'inference.tool_calls_per_step': setting.count(16, 'calls', 'Operations that one answer of a model may call; the others are refused', 1, 64),
  'inference.tool_calls_per_call': setting.count(64, 'calls', 'Operations that the model may call in one call', 1, 1000),
  'inference.tool_reads_at_once': setting.count(4, 'reads', 'Operations that only read, of one answer, at one time', 1, 16),
  'inference.tool_read_ms': setting.count(30_000, 'ms', 'Longest time of an operation that only reads', 100, 300_000),
  'inference.tool_approval_minutes': setting.count(60, 'min', 'How long a call of a tool waits for the yes of the caller', 1, 10_080),
  'inference.kept_days': setting.count(30, 'days', 'How long inputs and outputs are kept', 1, 3650),
  'inference.usage_kept_days': setting.count(1100, 'days', 'How long usage rows are kept', 60, 36_500),
  'inference.blocklist': setting.list('Words and phrases that neither an input nor an output may have'),
  'inference.quota_tenant_requests_per_minute': setting.count(600, 'requests/min', 'Calls of a tenant'),
  'inference.quota_tenant_tokens_per_minute': setting.count(400_000, 'tokens/min', 'Tokens of a tenant'),
  'inference.quota_tenant_tokens_per_day': setting.count(20_000_000, 'tokens/day', 'Tokens of a tenant in a day of UTC'),
  'inference.quota_tenant_cost_per_day': setting.count(50, 'currency/day', 'Budget of a tenant for a day of UTC'),
  'inference.quota_tenant_operations': setting.count(64, 'calls', 'Calls of a tenant at one time'),
  'inference.quota_tenant_streams': setting.count(32, 'streams', 'Streams of a tenant at one time'),
  'inference.quota_principal_requests_per_minute': setting.count(60, 'requests/min', 'Calls of a principal'),
  'inference.quota_principal_tokens_per_minute': setting.count(60_000, 'tokens/min', 'Tokens of a principal'),
  'inference.quota_principal_tokens_per_day': setting.count(2_000_000, 'tokens/day', 'Tokens of a principal in a day of UTC'),
  'inference.quota_principal_cost_per_day': setting.count(5, 'currency/day', 'Budget of a principal for a day of UTC'),
  'inference.quota_principal_operations': setting.count(8, 'calls', 'Calls of a principal at one time'),
  'inference.quota_principal_streams': setting.count(4, 'streams', 'Streams of a principal at one time'),
  'inference.tags': setting.count(1000, 'tags', 'Tags of the calls of a tenant', 1, 100_000),
  'inference.tags_kept_days': setting.count(35, 'days', 'How long a tag without use, and without a limit, counts among them', 2, 3650),
  'inference.webhook_max_bytes': setting.count(1024 * 1024, 'bytes', 'Largest webhook of a provider', 1024, 2 ** 22),
  'inference.events_retention_days': setting.count(90, 'days', 'How long ids of provider events are kept, so that a repetition is recognized', 7, 3650),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Refuses values and combinations of settings that cannot work. */
export function settingFaults(given: Kernel['settings'], { profile }: Deployment): string[] {
  const provider = given['inference.provider']
  const has_vendor = provider_kinds.some(kind => kind === provider)
  const rules = faultsIn([
    [
      provider === 'sandbox' && profile === 'production',
      'INFERENCE_PROVIDER=sandbox works in development only. Name a provider.',
    ],
    [
      has_vendor && provider !== 'openai_compatible' && given['inference.api_key'] === null,
      'INFERENCE_API_KEY is missing: set it to a key of the provider, or set INFERENCE_PROVIDER=none.',
    ],
    [
      provider === 'openai_compatible' && given['inference.base_url'] === null,
      'INFERENCE_BASE_URL is missing: set it to the address of the compatible server, with /v1 at its end.',
    ],
    [
      has_vendor && given['inference.model'] === null,
      'INFERENCE_MODEL is missing: set it to the name of a text model of the provider.',
    ],
    [
      given['inference.price'].length !== 3,
      'INFERENCE_PRICE must have three numbers: the prices of a million input, cached input and output tokens.',
    ],
  ])
  const read = refusals({
    INFERENCE_PROVIDERS: () => furtherProviders(given, profile),
    INFERENCE_TENANT_PROVIDER_HOSTS: () => addressRules(given),
    INFERENCE_WEBHOOK_SECRETS: () => given['inference.webhook_secrets'].map(secretKey),
  })
  return [...rules, ...read]
}

/** Without a provider the address and the key of one are not read, and nothing else would say so. */
export function adviceOnProvider(
  given: Pick<
    Kernel['settings'],
    'inference.provider' | 'inference.base_url' | 'inference.api_key'
  >,
): string[] {
  if (given['inference.provider'] !== 'none') return []
  const unread = [
    ...(given['inference.base_url'] === null ? [] : ['INFERENCE_BASE_URL']),
    ...(given['inference.api_key'] === null ? [] : ['INFERENCE_API_KEY']),
  ]
  if (unread.length === 0) return []
  return [
    `The provider of ${unread.join(' and ')} is not called, because INFERENCE_PROVIDER is none. Set it to the kind of the provider, such as openai.`,
  ]
}
