/**
 * A process is killed in a call whose model acts: around each commit, and around each operation. The retry
 * goes on from the stored steps, asks the model again for no step that has calls, and acts once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openPaymentWorld,
  type Merchant,
  type PaymentWorld,
} from '../../src/surfaces/payments/test/payment-world.ts'
import { killedAt } from '../crash.ts'
import { startProcess } from '../process.ts'
import { call, eventually, newKey, type Answer } from '../world.ts'
import { inTurns } from '../in-turns.ts'

let world: PaymentWorld
beforeAll(async () => {
  // A dead process holds its key for six times this, and five seconds.
  world = await openPaymentWorld({
    INFERENCE_LEASE_SECONDS: '3',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '500',
  })
})
afterAll(() => world.close())

const retry_ms = 120_000
const path = '/v1/inferences'
const asks = (name: string, args: object) =>
  `Do it. [[sandbox call=${name} args=${JSON.stringify(args)}]]`
const tools = (name: string, approval = 'ask') => ({
  parameters: { tools: [{ type: 'operation', name, approval }] },
})

/** One key: a process dies in the call, and its client goes on. */
async function killed(who: Merchant, point: string, more: object, at = path): Promise<Answer> {
  const [key, body] = [newKey(), { model: 'default', ...more }]
  const { token } = who
  await killedAt(world, point, url => call(url, 'POST', at, { token, key, body }), 1, 'product')
  return await eventually(
    `the retry is answered after ${point}`,
    async () => {
      const answer = await call(world.url, 'POST', at, { token, key, body })
      return answer.status < 300 && answer
    },
    retry_ms,
  )
}

async function refund(shop: Merchant) {
  const { id: intent_id } = await shop.captured(5000)
  const given = { intent_id, amount_minor: 500, reason: 'requested_by_customer' }
  const refunds = async () =>
    (await shop.ask('GET', `/v1/refunds?intent_id=${intent_id}`)).body.data
  return { input: asks('createRefund', given), refunds }
}

const approving = ({ body }: Answer) => ({
  previous_id: body.id,
  input: [{ type: 'approval', tool_call_id: body.output.steps[0].tool_calls[0].id, approve: true }],
})

const around_tools = [
  'inference.before_tool',
  'inference.after_tool',
  'inference.after_result',
  'inference.before_next_step',
  'inference.after_next_step',
  'inference.before_settle',
]

describe.concurrent('killed', () => {
  const of_a_refund = inTurns(4, [
    ...around_tools,
    'kernel.after_operation',
    'payments.before_call',
    'payments.after_call',
    'payments.in_apply',
    'kernel.after_commit',
  ])

  test.each(of_a_refund)('at %s of an approved refund: one refund', async point => {
    const shop = await world.merchant()
    const { input, refunds } = await refund(shop)
    const body = { model: 'default', input, ...tools('createRefund') }
    const asked = await world.call('POST', path, { token: shop.token, key: newKey(), body })
    expect(asked.body.finish_reason, asked.text).toBe('approval_required')
    const done = await killed(shop, point, approving(asked))
    const [made] = done.body.output.steps[0].tool_calls
    expect([done.body.finish_reason, made.state]).toEqual(['stop', 'done'])
    const all = await refunds()
    expect(all.map((one: { id: string }) => one.id)).toEqual([JSON.parse(made.output).id])
  })

  test.each(
    inTurns(3, ['inference.before_step', 'inference.after_step', 'inference.before_settle']),
  )('at %s of a call that asks: it asks once, and one yes is one refund', async point => {
    const shop = await world.merchant()
    const { input, refunds } = await refund(shop)
    const asked = await killed(shop, point, { input, ...tools('createRefund') })
    expect(asked.body.finish_reason).toBe('approval_required')
    expect(asked.body.output.steps).toHaveLength(1)
    const body = { model: 'default', ...approving(asked) }
    const done = await world.call('POST', path, { token: shop.token, key: newKey(), body })
    expect(done.body.output.steps[0].tool_calls[0].state, done.text).toBe('done')
    expect(await refunds()).toHaveLength(1)
  })

  test.each(inTurns(3, ['inference.before_step', 'inference.after_step', ...around_tools]))(
    'at %s of a write without a yes: one link',
    async point => {
      const shop = await world.merchant()
      await world.allow(shop, 'inference.tools.unattended')
      const input = asks('createLink', { destination_url: 'https://example.com/a' })
      const done = await killed(shop, point, { input, ...tools('createLink', 'none') })
      expect(done.body).toMatchObject({
        finish_reason: 'stop',
        output: { steps: [{ tool_calls: [{ state: 'done' }] }] },
      })
      expect((await shop.ask('GET', '/v1/links')).body.data).toHaveLength(1)
    },
  )

  test.each(
    inTurns(3, ['inference.after_step', 'inference.after_tool', 'inference.after_next_step']),
  )('at %s of a stream: the retry shows all of it, and one link', async point => {
    const shop = await world.merchant()
    await world.allow(shop, 'inference.tools.unattended')
    const input = asks('createLink', { destination_url: 'https://example.com/a' })
    const at = '/v1/inferences:stream'
    const done = await killed(shop, point, { input, ...tools('createLink', 'none') }, at)
    const names = [...done.text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(names.filter(name => name !== 'delta')).toEqual([
      'started',
      'tool_call',
      'tool_result',
      'usage',
      'completed',
    ])
    expect((await shop.ask('GET', '/v1/links')).body.data).toHaveLength(1)
  })
})

/** No process but the one that dies, and one that begins after it, runs the job. */
describe('killed in a job', () => {
  let api: PaymentWorld
  beforeAll(async () => {
    api = await openPaymentWorld({ ROLES: 'api', INFERENCE_LEASE_SECONDS: '3' })
  })
  afterAll(() => api.close())

  test.each(
    inTurns(3, ['inference.after_step', 'inference.after_tool', 'inference.before_settle']),
  )('at %s: one link', async point => {
    const shop = await api.merchant()
    await api.allow(shop, 'inference.tools.unattended')
    const body = {
      model: 'default',
      input: asks('createLink', { destination_url: 'https://example.com/a' }),
      ...tools('createLink', 'none'),
    }
    const asked = { token: shop.token, key: newKey(), body }
    const at = '/v1/inference-jobs'
    await killedAt(api, point, url => call(url, 'POST', at, asked), 1, 'product')
    const { job_id } = (await call(api.url, 'POST', at, asked)).body
    const beside = await startProcess({ ...api.environment, ROLES: 'worker' }, 'product')
    try {
      const job = await eventually(
        'the job has ended',
        async () => {
          const found = await shop.ask('GET', `${at}/${job_id}`)
          return found.body.completed_at !== null && found.body
        },
        retry_ms,
      )
      expect([job.state, job.result?.finish_reason]).toEqual(['succeeded', 'stop'])
      expect((await shop.ask('GET', '/v1/links')).body.data).toHaveLength(1)
    } finally {
      await beside.kill()
    }
  })
})

test('all counters are the sums of the usage rows', async () => {
  const checks = world.platform.opened['inference']?.checks ?? []
  expect((await Promise.all(checks.map(check => check.run()))).flat()).toEqual([])
})
