/** Tenants with providers of their own, which are the vendors of the sandbox. */
import type { Answer } from '../../../../../test/world.ts'
import type { InferenceWorld, Someone } from '../../test/inference-world.ts'

const rights = ['inference.providers.write', 'inference.models.write', 'inference.prices.write']

export type OwnWorld = ReturnType<typeof ownIn>

export function ownIn(world: InferenceWorld) {
  const at = (vendor: string) => world.vendors[vendor] ?? {}
  const keyOf = (vendor: string) => at(vendor)['key'] ?? ''
  const bearer = (key: string) => ({ type: 'bearer', key })
  return {
    at,
    keyOf,
    bearer,
    administrator: async (): Promise<Someone> => {
      const one = await world.someone()
      await world.allow(one, ...rights)
      return one
    },
    openai: (key = keyOf('openai')) => {
      return { kind: 'openai', base_url: at('openai')['api'], auth: bearer(key) }
    },
    claude: () => ({
      kind: 'anthropic',
      base_url: at('anthropic')['api'],
      auth: { type: 'header', header: 'x-api-key', key: keyOf('anthropic') },
    }),
    put: (one: Someone, name: string, body: object, headers = {}): Promise<Answer> =>
      one.ask('PUT', `/v1/model-providers/${name}`, body, { headers }),
    addModel: (one: Someone, provider: string, more: object = {}): Promise<Answer> =>
      one.ask('POST', '/v1/models', {
        provider,
        model_name: 'sandbox-large',
        capability: ['text', 'stream', 'json_schema'],
        max_context: 100_000,
        max_output: 1000,
        state: 'active',
        aliases: [{ alias: 'default' }],
        ...more,
      }),
  }
}
