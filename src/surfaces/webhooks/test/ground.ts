/**
 * The product with subscribers outside: what a test of webhooks stands on. Events are ordinary ones of the
 * platform, emitted in transactions; endpoints are real servers.
 */
import { Type } from 'typebox'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import type { Composition } from '../../../runtime/platform-parts.ts'
import type { Receiver } from './receiver.ts'

export type Ground = ProductWorld & {
  /** A member who may do everything with webhooks, in a new tenant. */
  owner(): Promise<Member>
  /** A subscription whose endpoint has answered its challenge. */
  subscribe(owner: Member, endpoint: string, more?: object): Promise<Made>
  /** Commits ordinary events; answers their ids, in order. */
  emit(owner: Member, many?: number, aggregate?: { id: string; first: number }): Promise<string[]>
  deliveries(subscription_id: string): Promise<Delivery[]>
  attempts(delivery_id: string): Promise<Attempt[]>
  states(subscription_id: string): Promise<Record<string, number>>
}

export type Made = { readonly id: string; readonly secret: string; readonly owner: Member }

const Delivery = Type.Object({
  id: Type.String(),
  event_id: Type.String(),
  state: Type.String(),
  attempt_count: Type.Integer(),
  next_attempt_at: Type.String(),
  last_error_code: Type.Union([Type.String(), Type.Null()]),
  last_http_status: Type.Union([Type.Integer(), Type.Null()]),
})
type Delivery = {
  id: string
  event_id: string
  state: string
  attempt_count: number
  next_attempt_at: string
  last_error_code: string | null
  last_http_status: number | null
}

const Attempt = Type.Object({
  attempt_no: Type.Integer(),
  error_code: Type.Union([Type.String(), Type.Null()]),
  http_status: Type.Union([Type.Integer(), Type.Null()]),
  duration_ms: Type.Union([Type.Integer(), Type.Null()]),
  response_excerpt: Type.Union([Type.String(), Type.Null()]),
})
type Attempt = {
  attempt_no: number
  error_code: string | null
  http_status: number | null
  duration_ms: number | null
  response_excerpt: string | null
}

export const at = (receiver: Receiver, path = '/'): string =>
  `http://127.0.0.1:${receiver.port}${path}`

/** `composed`: the product with more that only a test needs. */
export async function openGround(
  settings?: Record<string, string>,
  composed?: Composition,
): Promise<Ground> {
  const world = await openProductWorld(settings, composed)
  const { db } = world.platform.kernel
  const deliveries: Ground['deliveries'] = id =>
    db.many(
      Delivery,
      sql`
        -- any tenant: the test made it
        select id, event_id, state, attempt_count, next_attempt_at, last_error_code, last_http_status
        from webhooks.deliveries where subscription_id = ${id} order by event_id`,
    )
  return {
    ...world,
    owner: async () => {
      const member = await world.member()
      await world.give(member, 'tenant_admin')
      return member
    },
    subscribe: async (owner, endpoint, more = {}) => {
      const made = await world.call('POST', '/v1/webhook-subscriptions', {
        token: owner.token,
        body: { endpoint, event_filter: { types: ['*'] }, api_version: '2026-01', ...more },
      })
      if (made.status !== 201) throw new Error(`no subscription: ${made.text}`)
      const { id, secret } = made.body
      await eventually('the challenge is answered', async () => {
        const { body } = await world.call('GET', `/v1/webhook-subscriptions/${id}`, {
          token: owner.token,
        })
        return body.state === 'active'
      })
      return { id, secret, owner }
    },
    emit: (owner, many, aggregate) =>
      db.tx(async tx =>
        Array.from({ length: many ?? 1 }, (_, index) =>
          tx.emit({
            type: 'account.verified',
            tenant_id: owner.tenant.id,
            aggregate_type: 'account',
            aggregate_id: aggregate?.id ?? newId(),
            aggregate_version: (aggregate?.first ?? 1) + index,
            data: { account_id: owner.id },
          }),
        ),
      ),
    deliveries,
    attempts: delivery_id =>
      db.many(
        Attempt,
        sql`
          -- any tenant: the test made it
          select attempt_no, error_code, http_status, duration_ms, response_excerpt
          from webhooks.delivery_attempts where delivery_id = ${delivery_id} order by attempt_no, id`,
      ),
    states: async id => {
      const found: Record<string, number> = {}
      for (const { state } of await deliveries(id)) found[state] = (found[state] ?? 0) + 1
      return found
    },
  }
}
