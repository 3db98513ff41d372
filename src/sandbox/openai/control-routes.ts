/** The control plane of this model provider: pace, faults, the journal, and webhooks on demand. */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { fits, Refusal, type ControlRoute } from '../control.ts'
import { FaultRule } from './faults.ts'
import type { Config } from './store.ts'
import { idOf } from './openai-id.ts'
import type { Vended } from './vended.ts'

const strict = { additionalProperties: false }
const Ms = Type.Integer({ minimum: 0, maximum: 3_600_000 })
const ConfigChange = Type.Partial(
  Type.Object({
    webhook_url: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
    ttft_ms: Ms,
    delta_ms: Ms,
    background_ms: Ms,
    backoff_ms: Type.Array(Ms, { maxItems: 50 }),
  }),
  strict,
)
const SendWebhook = Type.Object(
  {
    response_id: Type.String({ minLength: 3, maxLength: 100 }),
    type: Type.Optional(Type.String({ maxLength: 100 })),
    /** Sends the webhook with the same id as before, as a repeat. */
    id: Type.Optional(Type.String({ pattern: '^wh_[a-z0-9]+$', maxLength: 100 })),
    duplicate: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    delay_ms: Type.Optional(Ms),
    tamper: Type.Optional(Type.Boolean()),
    old_timestamp: Type.Optional(Type.Boolean()),
  },
  strict,
)

export const defaults: Config = {
  webhook_url: null,
  ttft_ms: 0,
  delta_ms: 0,
  background_ms: 50,
  backoff_ms: [200, 1000, 5000, 30_000, 120_000],
}

export function controlRoutes(vended: Vended): ControlRoute[] {
  const { store, faults, requests } = vended
  return [
    { method: 'GET', path: '/config', run: () => ({ status: 200, body: vended.config() }) },
    post('/config', body => {
      const config = { ...vended.config(), ...fits(ConfigChange, body) }
      store.change(change => change.put('config', 'config', config))
      vended.deliveries.wake()
      return config
    }),
    {
      method: 'GET',
      path: '/faults',
      run: () => listed(faults.script.list().map(({ id, rule, left }) => ({ id, left, ...rule }))),
    },
    post('/faults', body => {
      const rule = fits(FaultRule, body)
      const { id, left } = faults.script.add(rule, rule.times ?? 1)
      return { id, left, ...rule }
    }),
    {
      method: 'DELETE',
      path: '/faults',
      run: () => {
        faults.script.clear()
        return { status: 204 }
      },
    },
    {
      method: 'GET',
      path: '/requests',
      run: ({ query }) =>
        listed(
          requests
            .list()
            .filter(one => !query['operation_id'] || one.operation_id === query['operation_id'])
            .filter(one => !query['path'] || one.path.includes(query['path'])),
        ),
    },
    { method: 'GET', path: '/deliveries', run: () => listed(store.all('delivery')) },
    post('/webhooks', body => sendWebhooks(vended, fits(SendWebhook, body))),
    post('/reset', () => {
      const config = vended.config()
      faults.script.clear()
      requests.clear()
      store.reset()
      store.change(change => change.put('config', 'config', config))
      return {}
    }),
  ]
}

async function sendWebhooks(
  { store, deliveries, config }: Vended,
  {
    response_id,
    type,
    id = idOf('wh'),
    duplicate = 1,
    delay_ms,
    ...how
  }: Type.Static<typeof SendWebhook>,
): Promise<object> {
  const stored = store.get('response', response_id)
  if (!stored) throw new Refusal(404, 'not_found', `There is no response ${response_id}.`)
  if (!config().webhook_url) throw new Refusal(422, 'validation_failed', 'Set webhook_url first.')
  if (delay_ms) await pause(delay_ms)
  const sending = {
    id,
    type: type ?? `response.${stored.answer.ending.status}`,
    response_id,
    created_at: stored.created_at,
    ...how,
  }
  const statuses = await Promise.all(
    Array.from({ length: duplicate }, () => deliveries.send(sending)),
  )
  return { id, statuses }
}

function post(path: string, run: (body: unknown) => object | Promise<object>): ControlRoute {
  return { method: 'POST', path, run: async ({ body }) => ({ status: 200, body: await run(body) }) }
}

function listed(data: readonly unknown[]) {
  return { status: 200, body: { data, next_cursor: null, has_more: false } }
}
