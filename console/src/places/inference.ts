/** The place of inference: models, calls, usage and quotas. */
import { Playground } from '../panels/playground.tsx'
import { resource, type Place } from '../resource.ts'

export const inference: Place = {
  name: 'inference',
  title: { en: 'Inference', de: 'Modelle' },
  resources: [
    resource({
      name: 'models',
      title: { en: 'Models', de: 'Modelle' },
      list: 'listModels',
      create: 'createModel',
      columns: ['id', 'model_name', 'state', 'health', 'provider', 'capability', 'deployment_id'],
      events: ['model_deployment.'],
      actions: ['changeModel'],
    }),
    resource({
      name: 'inferences',
      title: { en: 'Inferences', de: 'Aufrufe' },
      top: Playground,
      list: 'listInferences',
      read: 'getInference',
      create: 'createInference',
      columns: ['model', 'state', 'model_snapshot', 'usage', 'error', 'created_at', 'id'],
      events: ['inference.'],
      actions: [{ by: 'cancelInference', hurts: true, in: ['pending', 'running', 'reconciling'] }],
    }),
    resource({
      name: 'jobs',
      title: { en: 'Inference jobs', de: 'Aufträge an Modelle' },
      read: 'getInferenceJob',
      create: 'createInferenceJob',
      columns: [],
      events: ['job.', 'inference.'],
      actions: [{ by: 'cancelInferenceJob', hurts: true, in: ['pending', 'retryable', 'running'] }],
    }),
    resource({
      name: 'usage',
      title: { en: 'Usage and cost', de: 'Verbrauch und Kosten' },
      list: 'listUsage',
      key: ['day', 'model_deployment_id'],
      columns: ['day', 'requests', 'input_tokens', 'output_tokens', 'cost_amount', 'currency'],
      events: ['inference.'],
      charts: [
        { x: 'day', y: 'cost_amount' },
        { x: 'day', y: 'requests' },
        { x: 'day', y: 'output_tokens' },
      ],
    }),
    resource({
      name: 'quotas',
      title: { en: 'Quotas', de: 'Kontingente' },
      list: 'listQuotas',
      create: 'putQuota',
      key: ['scope_type', 'scope_id', 'metric'],
      columns: ['metric', 'scope_type', 'used', 'reserved', 'limit', 'resets_at'],
      events: ['inference.'],
      actions: ['putQuota'],
    }),
    resource({
      name: 'prices',
      title: { en: 'Prices', de: 'Preise' },
      create: 'createModelPrice',
      columns: [],
    }),
  ],
}
