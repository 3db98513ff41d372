/** The control plane of this model provider: pace, faults, the journal, and webhooks on demand. */
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { fits, Refusal, type ControlRoute } from '../control.ts'
import { listed, modelControl, Ms, paces, post } from '../model/control-routes.ts'
import { idOf } from '../model/vendor-id.ts'
import type { Config } from './store.ts'
import type { Vended } from './vended.ts'

const strict = { additionalProperties: false }
const Change = Type.Partial(
  Type.Object({
    ...paces,
    webhook_url: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
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
  const { store, faults, requests, config } = vended
  const setConfig = (changed: Config) => {
    store.change(change => change.put('config', 'config', changed))
    vended.deliveries.wake()
  }
  const reset = () => {
    const kept = config()
    store.reset()
    store.change(change => change.put('config', 'config', kept))
  }
  return [
    ...modelControl<Config>({ faults, requests, Change, config, setConfig, reset }),
    { method: 'GET', path: '/deliveries', run: () => listed(store.all('delivery')) },
    post('/webhooks', body => sendWebhooks(vended, fits(SendWebhook, body))),
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
