/** Inference under the crawler: how calls that run, jobs and models come about. */
import { createHmac } from 'node:crypto'
import { afterAll } from 'vitest'
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { openModelProvider } from './inference-world.ts'

const models = await openModelProvider()
afterAll(() => models.close())

type Making = Maker<ProductWorld, Member>

const ask = { model: 'default', input: 'Write one sentence.', parameters: { max_output_tokens: 5 } }

const chat = {
  model: 'default',
  messages: [{ role: 'user', content: 'Write one sentence.' }],
  max_tokens: 5,
}

const turn = {
  model: 'default',
  messages: [{ role: 'user', content: 'Write one sentence.' }],
}
const respond = { model: 'default', input: 'Write one sentence.', max_output_tokens: 5 }

/** One that has not ended, so that it can be cancelled. */
async function running({ world, ask: send, person: { id, tenant } }: Making): Promise<string> {
  // Writes the configured models.
  await send('GET', '/v1/models')
  const operation_id = newId()
  await world.platform.kernel.db.run(sql`
    insert into inference.inference_operations (tenant_id, id, actor_id, model,
      first_deployment_id, model_deployment_id, deployment_tenant_id, workload, state,
      prompt_version, parameters, estimated_input, max_output, deadline_at)
    select ${tenant.id}, ${operation_id}, ${id}, 'default', d.id, d.id, d.tenant_id, 'inference',
      'running', 'plain@1', '{"max_output_tokens": 1}', 1, 1, kernel.now() + interval '1 hour'
    from inference.model_deployments d where d.configured and d.max_output > 0`)
  return operation_id
}

/** At its vendor. No model is there, so it is never called. */
const provider = { kind: 'openai', auth: { type: 'bearer', key: 'sk-0123456789abcdef' } }

const blocked = 'forbidden fruit'

let made = 0
const model = async (maker: Making): Promise<string> => {
  const { id } = await maker.ask('POST', '/v1/models', newModel())
  return id as string
}
const newModel = () => ({
  provider: 'openai',
  model_name: `sandbox-small-${++made}`,
  capability: ['text'],
  max_context: 16_000,
  max_output: 1000,
})
const job = async (maker: Making): Promise<string> => {
  // It waits, so that it can be cancelled at once.
  await maker.ask('POST', '/v1/job-types/inference.run/pause', { reason: 'a crawl' })
  const { job_id } = await maker.ask('POST', '/v1/inference-jobs', ask)
  return job_id as string
}

/** A signed event of the provider that concerns nothing here. */
function signed() {
  const body = JSON.stringify({
    id: `evt_${newId()}`,
    object: 'event',
    type: 'batch.completed',
    created_at: Math.floor(Date.now() / 1000),
    data: { id: 'batch_1' },
  })
  const id = `wh_${newId()}`
  const at = Math.floor(Date.now() / 1000)
  const secret = Buffer.from(
    (models.settings['INFERENCE_WEBHOOK_SECRETS'] ?? '').replace('whsec_', ''),
    'base64',
  )
  const mac = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${mac}`,
  }
  return { bytes: Buffer.from(body), headers }
}

await crawlSurface({
  surface: 'inference',
  settings: { ...models.settings, INFERENCE_BLOCKLIST: blocked },
  subjects: {
    '/v1/inferences/{id}': { make: running },
    '/v1/responses/{id}': { make: running },
    '/v1/inference-jobs/{job_id}': { make: job },
    // The crawler is a platform operator, who changes the models of all tenants.
    '/v1/models/{id}': { shared: true, make: model },
    '/v1/model-providers/{name}': {
      make: async ({ ask: send }) => {
        const name = `own-${++made}`
        await send('PUT', `/v1/model-providers/${name}`, provider)
        return name
      },
    },
    '/webhooks/{provider}': { shared: true, make: () => 'openai' },
    '/v1/quotas/{scope_type}': { shared: true, make: () => 'principal' },
    '/v1/quotas/{scope_type}/{scope_id}': {
      // Of a new person each, because another check changes the limits of its own one.
      make: async ({ ask: send, world, person: { tenant } }) => {
        const { id } = await world.member(tenant)
        await send('PUT', `/v1/quotas/principal/${id}`, { requests_per_minute: 10_000 })
        return id
      },
    },
  },
  recipes: {
    'POST /v1/inferences': {
      request: () => ({ body: ask }),
      refusal: () => ({ body: { ...ask, input: blocked } }),
    },
    'POST /v1/chat/completions': {
      request: () => ({ body: chat }),
      refusal: () => ({ body: { ...chat, messages: [{ role: 'user', content: blocked }] } }),
    },
    'POST /v1/responses': {
      request: () => ({ body: respond }),
      refusal: () => ({ body: { ...respond, input: blocked } }),
    },
    'POST /v1/messages': {
      request: () => ({ body: { ...turn, max_tokens: 5 } }),
      refusal: () => ({
        body: { ...turn, max_tokens: 5, messages: [{ role: 'user', content: blocked }] },
      }),
    },
    'POST /v1/messages/count_tokens': { request: () => ({ body: turn }) },
    'DELETE /v1/responses/{id}': {
      request: async ({ world, person: { tenant } }, { id }) => {
        await world.platform.kernel.db.run(sql`
          update inference.inference_operations
          set state = 'cancelled', completed_at = coalesce(completed_at, kernel.now())
          where tenant_id = ${tenant.id} and id = ${id}`)
        return {}
      },
    },
    'POST /v1/embeddings': {
      request: () => ({ body: { model: 'embedding', input: 'One.' } }),
      refusal: () => ({ body: { model: 'embedding', input: blocked } }),
    },
    'POST /v1/generations': { refusal: () => ({ body: { prompt: blocked } }) },
    'POST /v1/inferences:stream': { request: () => ({ body: ask }) },
    'POST /v1/inference-jobs': { request: () => ({ body: ask }) },
    'POST /v1/models': { request: () => ({ body: newModel() }) },
    'PUT /v1/model-providers/{name}': { request: () => ({ body: provider }) },
    'PATCH /v1/models/{id}': { request: () => ({ body: { max_output: 500 } }) },
    'POST /v1/model-prices': {
      request: async maker => ({
        body: {
          model_deployment_id: await model(maker),
          currency: 'USD',
          input: '1.00',
          cached_input: '0.10',
          output: '2.00',
        },
      }),
    },
    'PUT /v1/quotas/{scope_type}/{scope_id}': {
      request: () => ({ body: { requests_per_minute: 10_000 } }),
    },
    'POST /webhooks/{provider}': { request: () => signed() },
  },
})
