/**
 * The control plane of this Stripe: configuration, faults, time, and actions that only a bank or a
 * person takes.
 */
import { Type } from 'typebox'
import { clockControl } from '../clock-control.ts'
import { fits, Refusal, type ControlRoute } from '../control.ts'
import type { Kept } from '../kept.ts'
import { ApiError } from './api-error.ts'
import { workIn, type Vended } from './vended.ts'
import { endPayout, payOut } from './balance.ts'
import { closeDispute, openDispute } from './disputes.ts'
import { Chaos, FaultRule } from './faults.ts'
import { makeForeignPayment } from './foreign-payment.ts'
import { authenticate } from './payment-intents.ts'
import type { Work } from './work.ts'

const Id = Type.String({ minLength: 3, maxLength: 100 })
const strict = { additionalProperties: false }
const ConfigChange = Type.Partial(
  Type.Object({
    webhook_url: Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]),
    secrets: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 5,
    }),
    fee_percent: Type.Number({ minimum: 0, maximum: 100 }),
    fee_fixed_minor: Type.Integer({ minimum: 0 }),
    dispute_fee_minor: Type.Integer({ minimum: 0 }),
    backoff_ms: Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 50 }),
    lock_wait_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  }),
  strict,
)
const OpenDispute = Type.Object(
  {
    charge: Id,
    amount: Type.Optional(Type.Integer({ minimum: 1 })),
    inquiry: Type.Optional(Type.Boolean()),
  },
  strict,
)
const CloseDispute = Type.Object(
  { outcome: Type.Union([Type.Literal('won'), Type.Literal('lost')]) },
  strict,
)
const ThreeDs = Type.Object(
  {
    payment_intent: Id,
    outcome: Type.Union([Type.Literal('succeed'), Type.Literal('fail')]),
  },
  strict,
)
const PayOut = Type.Object(
  {
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    outcome: Type.Optional(Type.Union([Type.Literal('paid'), Type.Literal('failed')])),
  },
  strict,
)
const Nothing = Type.Object({}, strict)
const Foreign = Type.Partial(
  Type.Object({ amount: Type.Integer({ minimum: 1 }), currency: Type.String() }),
  strict,
)

export function controlRoutes(vended: Vended, kept: Kept): ControlRoute[] {
  return [...experiments(vended, kept), ...observations(vended), ...occurrences(vended)]
}

function experiments(vended: Vended, kept: Kept): ControlRoute[] {
  const { store, faults } = vended
  const timed = clockControl(vended.clock, kept).map(one => ({
    ...one,
    run: (call: Parameters<ControlRoute['run']>[0]) => {
      const answer = one.run(call)
      vended.tick()
      return answer
    },
  }))
  return [
    ...timed,
    post('/config', body => {
      const change = fits(ConfigChange, body)
      store.change(draft => draft.put('config', 'config', { ...vended.config(), ...change }))
      vended.deliveries.wake()
      return vended.config()
    }),
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
        faults.chaos(null)
        return { status: 204 }
      },
    },
    post('/chaos', body => {
      const chaos = fits(Chaos, body)
      faults.chaos(Object.keys(chaos.rates).length > 0 ? chaos : null)
      return chaos
    }),
    post('/reset', body => {
      // A reset of one object does not exist, and must not wipe all of them.
      fits(Nothing, body ?? {})
      const config = vended.config()
      faults.script.clear()
      faults.chaos(null)
      store.reset()
      store.change(draft => draft.put('config', 'config', config))
      return {}
    }),
  ]
}

function observations({ store, deliveries, config, requests }: Vended): ControlRoute[] {
  return [
    get('/config', config),
    get('/requests', () => requests),
    get('/effects', () => listed(store.all('effect'))),
    get('/deliveries', () => listed(store.all('delivery'))),
    post('/deliveries/flush', async () => ({ sent: await deliveries.flush() })),
  ]
}

function occurrences(vended: Vended): ControlRoute[] {
  const { store } = vended
  const happen = (work: (work: Work) => object): object => {
    const done = store.change(change => work(workIn(vended, change)))
    vended.deliveries.wake()
    return done
  }
  return [
    post('/three_ds', body => {
      const { payment_intent, outcome } = fits(ThreeDs, body)
      return happen(work => authenticate(work, payment_intent, outcome === 'succeed'))
    }),
    post('/disputes', body => {
      const { charge: id, amount, inquiry } = fits(OpenDispute, body)
      const charge = store.get('charge', id)
      if (!charge) throw new Refusal(404, 'not_found', `There is no charge ${id}.`)
      return happen(work => openDispute(work, charge, inquiry ?? false, amount))
    }),
    {
      method: 'POST',
      path: '/disputes/{id}/close',
      run: ({ params, body }) => {
        const { outcome } = fits(CloseDispute, body)
        const id = params['id'] ?? ''
        return answered(() => happen(work => closeDispute(work, id, outcome === 'won')))
      },
    },
    post('/payouts', body => {
      const { currency, outcome } = fits(PayOut, body)
      const now_s = vended.clock.nowMs() / 1000
      const settled = store
        .all('balance_transaction')
        .filter(one => one.currency === currency && !one.payout && one.available_on <= now_s)
      return happen(work => {
        const payout = payOut(work, settled, currency)
        return outcome ? endPayout(work, payout, outcome === 'failed') : payout
      })
    }),
    post('/foreign_payments', body => {
      const { amount, currency } = fits(Foreign, body)
      return makeForeignPayment(vended, amount, currency)
    }),
  ]
}

function get(path: string, run: () => object): ControlRoute {
  return { method: 'GET', path, run: () => ({ status: 200, body: run() }) }
}

function post(path: string, run: (body: unknown) => object | Promise<object>): ControlRoute {
  return { method: 'POST', path, run: ({ body }) => answered(() => run(body)) }
}

/** A refusal in Stripe's own format becomes a refusal of the control plane. */
async function answered(run: () => object | Promise<object>) {
  try {
    return { status: 200, body: await run() }
  } catch (error) {
    if (error instanceof ApiError) {
      throw new Refusal(error.status, error.fields.code ?? 'refused', error.message)
    }
    throw error
  }
}

function listed(data: unknown[]): object {
  return { data, next_cursor: null, has_more: false }
}
