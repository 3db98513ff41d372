/** Accounts of two tenants at one provider: nothing of one reaches the other. */
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { eventAbout, ownerIn } from './account-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_EVENT_CATCHUP_SECONDS: '2',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '2000',
  })
})
afterAll(() => world.close())

const db = () => world.platform.kernel.db

function sent(account_id: string, secret: string, body: string) {
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return world.call('POST', `/v1/providers/${account_id}/webhooks`, {
    body,
    headers: { 'stripe-signature': `t=${t},v1=${v1}`, 'content-type': 'application/json' },
  })
}

describe.concurrent('what crosses accounts', () => {
  test('a webhook with the secret of another account is refused', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    const body = eventAbout({ id: 'pi_of_nobody' })
    const wrong = await sent(owner.account.id, other.at.webhook_secret, body)
    expect([wrong.status, wrong.body.code]).toEqual([401, 'signature_invalid'])
    const platform = world.vendors['stripe']?.['webhook_secret'] ?? ''
    expect((await sent(owner.account.id, platform, body)).status).toBe(401)
    expect((await sent(owner.account.id, owner.at.webhook_secret, body)).status).toBe(200)
    const nobody = await sent(owner.tenant.id, owner.at.webhook_secret, body)
    expect([nobody.status, nobody.body.code]).toEqual([404, 'provider_not_found'])
  })

  test('an event about the object of another account changes nothing and asks nothing there', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    const { id } = await other.authorized()
    const [effect] = await other.at.effects()
    const object = effect?.object ?? ''
    await other.at.control('config', { webhook_url: null })
    await other.at.ask(`payment_intents/${object}/cancel`, {})
    const event = eventAbout({ id: object })
    expect((await sent(owner.account.id, owner.at.webhook_secret, event)).status).toBe(200)
    await eventually('it was looked at', async () => {
      const open = await db().many(
        Type.Object({ event_id: Type.String() }),
        sql`
          select event_id from payments.provider_events
          where provider = ${`stripe:${owner.account.id}`} and processed_at is null`,
      )
      return open.length === 0
    })
    const seen = await db().many(
      Type.Object({ version: Type.Integer() }),
      sql`select version from payments.payment_intents where id = ${id}`,
    )
    expect(seen).toHaveLength(1)
    // Its own account reports the cancellation.
    expect((await other.reaches(id, 'cancelled')).state).toBe('cancelled')
  })

  test('a refund that names an operation of another tenant stays where it is', async () => {
    const [owner, victim] = await Promise.all([ownerIn(world), ownerIn(world)])
    const { id } = await victim.captured(5000)
    await victim.at.fault({ action: 'hang', match: { path: '/refunds', method: 'POST' }, times: 2 })
    const asked = await victim.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 500 })
    expect(asked.status, asked.text).toBe(202)
    const { operation_id } = asked.body
    await owner.captured(5000)
    const [effect] = await owner.at.effects()
    const object = effect?.object ?? ''
    const made = await owner.at.ask('refunds', {
      payment_intent: object,
      amount: '500',
      'metadata[operation_id]': operation_id,
    })
    await eventually('it was looked at', async () => {
      const items = await db().many(
        Type.Object({ tenant_id: Type.String() }),
        sql`
          select tenant_id from payments.reconciliation_items where external_ref = ${made.id}`,
      )
      return items.length > 0 && items.every(one => one.tenant_id === owner.tenant.id)
    })
    const refund = await eventually('the true one ends', async () => {
      const { body } = await victim.ask('GET', `/v1/refunds/${asked.body.id}`)
      return body.state === 'succeeded' && body
    })
    expect(refund.amount_minor).toBe(500)
    const kinds = (await victim.at.effects()).map(one => one.kind)
    expect(kinds.filter(kind => kind === 'refund')).toHaveLength(1)
  })

  test('an account that is down keeps no other waiting', async () => {
    const [owner, other] = await Promise.all([ownerIn(world), ownerIn(world)])
    await owner.at.fault({ action: 'http', status: 503, times: 1_000_000 })
    const begun = await Promise.all(Array.from({ length: 12 }, () => owner.intent()))
    await Promise.all(
      begun.map(({ id }) =>
        owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
          payment_method: 'pm_card_visa',
        }),
      ),
    )
    const refused = await eventually('its breaker is open', async () => {
      const { id } = await owner.intent()
      const answer = await owner.ask('POST', `/v1/payment-intents/${id}/authorize`, {
        payment_method: 'pm_card_visa',
      })
      return answer.status === 503 && answer
    })
    expect(refused.body.code).toBe('payment_provider_unavailable')
    expect((await other.authorized()).state).toBe('authorized')
    expect((await (await world.merchant()).authorized()).state).toBe('authorized')
    await owner.at.control('faults', {}, 'DELETE')
    for (const { id } of begun) {
      const { state, pending_operation } = await owner.read(id)
      if (pending_operation || state === 'authorized') await owner.reaches(id, 'authorized')
    }
  })
})
