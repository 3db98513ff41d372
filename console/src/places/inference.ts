/**
 * The place of inference: calls, what waits for a yes, usage, quotas, models with prices, own providers,
 * and how a program connects.
 */
import { Approvals } from '../panels/approvals.tsx'
import { CallSteps } from '../panels/call-steps.tsx'
import { Connect } from '../panels/connect.tsx'
import { Playground } from '../panels/playground.tsx'
import { UsageChart } from '../panels/usage-chart.tsx'
import { resource, type Place } from '../resource.ts'

export const inference: Place = {
  name: 'inference',
  title: { en: 'Inference', de: 'Modelle' },
  resources: [
    resource({
      name: 'inferences',
      title: { en: 'Calls', de: 'Aufrufe' },
      top: Playground,
      list: 'listInferences',
      read: 'getInference',
      create: 'createInference',
      panel: CallSteps,
      columns: ['model', 'state', 'usage', 'tags', 'error', 'created_at'],
      events: ['inference.'],
      actions: [{ by: 'cancelInference', hurts: true, in: ['pending', 'running', 'reconciling'] }],
    }),
    resource({
      name: 'approvals',
      title: { en: 'Approvals', de: 'Freigaben' },
      top: Approvals,
      opens_with: 'createInference',
      columns: [],
    }),
    resource({
      name: 'usage',
      title: { en: 'Usage and cost', de: 'Verbrauch und Kosten' },
      top: UsageChart,
      sparse: true,
      list: 'listUsage',
      key: ['day', 'model_deployment_id', 'principal_id', 'tag', 'workload', 'currency'],
      columns: [
        'day',
        'model_snapshot',
        'principal_id',
        'tag',
        'workload',
        'requests',
        'input_tokens',
        'output_tokens',
        'cost_amount',
        'currency',
      ],
      events: ['inference.'],
    }),
    resource({
      name: 'quotas',
      title: { en: 'Quotas', de: 'Kontingente' },
      list: 'listQuotas',
      read: 'getQuota',
      create: 'putQuota',
      key: ['scope_type', 'scope_id', 'metric'],
      columns: ['scope_type', 'scope_id', 'metric', 'used', 'reserved', 'limit', 'resets_at'],
      events: ['inference.'],
      actions: [
        {
          by: 'putQuota',
          // All limits that are left out are deleted.
          from: ({ limits, tags }) => ({ ...(limits as object), ...(tags ? { tags } : {}) }),
        },
        { by: 'deleteQuota', hurts: true },
      ],
    }),
    resource({
      name: 'models',
      key: ['deployment_id'],
      title: { en: 'Models', de: 'Modelle' },
      list: 'listModels',
      create: 'createModel',
      columns: [
        'name',
        'model_name',
        'state',
        'health',
        'provider',
        'capability',
        'price',
        'deployment_id',
      ],
      events: ['model_deployment.'],
      actions: ['changeModel'],
      related: [
        {
          title: { en: 'Prices', de: 'Preise' },
          list: 'listModelPrices',
          filter: 'model_deployment_id',
          columns: ['price_version', 'state', 'input', 'output', 'effective_from'],
        },
      ],
    }),
    resource({
      name: 'prices',
      title: { en: 'Prices', de: 'Preise' },
      list: 'listModelPrices',
      create: 'createModelPrice',
      key: ['model_deployment_id', 'price_version'],
      columns: [
        'model_deployment_id',
        'price_version',
        'state',
        'input',
        'cached_input',
        'output',
        'currency',
        'effective_from',
      ],
    }),
    resource({
      name: 'providers',
      key: ['name'],
      title: { en: 'Own providers', de: 'Eigene Anbieter' },
      list: 'listModelProviders',
      create: 'putModelProvider',
      columns: ['name', 'kind', 'state', 'base_url', 'auth', 'updated_at'],
      events: ['model_provider.'],
      actions: [
        // Without a key in the form the key stays.
        {
          by: 'putModelProvider',
          from: ({ kind, base_url, state }) => ({ kind, base_url, state }),
        },
        { by: 'deleteModelProvider', hurts: true },
      ],
    }),
    resource({
      name: 'jobs',
      title: { en: 'Inference jobs', de: 'Jobs der Modelle' },
      read: 'getInferenceJob',
      create: 'createInferenceJob',
      columns: [],
      events: ['job.', 'inference.'],
      actions: [{ by: 'cancelInferenceJob', hurts: true, in: ['pending', 'retryable', 'running'] }],
    }),
    resource({
      name: 'connect',
      title: { en: 'Connect', de: 'Anbinden' },
      top: Connect,
      opens_with: 'createChatCompletion',
      columns: [],
    }),
  ],
}
