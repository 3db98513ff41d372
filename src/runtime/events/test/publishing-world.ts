/** What tests of declared event types stand on: an operator who declares, a seller who publishes. */
import { Type } from 'typebox'
import { expect } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openProductWorld, type Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'

export const schema = {
  type: 'object',
  required: ['deal_id'],
  properties: { deal_id: { type: 'string', format: 'uuid' }, amount_minor: { type: 'integer' } },
}

/** With a noun that no other test uses: types belong to the platform. */
export const newType = () => `deal_${newId().slice(-12)}.won`

export const of = (type: string, more: object = {}) => ({
  type,
  data: { deal_id: newId() },
  ...more,
})

const Logged = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  aggregate_type: Type.String(),
  aggregate_id: Type.String(),
  aggregate_version: Type.Integer(),
  payload: Type.Unknown(),
})

export async function openPublishingWorld() {
  const world = await openProductWorld()
  const { db } = world.platform.kernel
  const operator = await world.member()
  await world.allow(
    operator,
    'kernel.event_types.write',
    'kernel.events.publish:*',
    'kernel.events.publish_any:*',
  )
  const seller = await world.member()
  await world.allow(seller, 'kernel.events.publish:*', 'webhooks.events.read:*')

  const put = (type: string, body: object, headers = {}, by = operator) =>
    world.call('PUT', `/v1/event-types/${type}`, { token: by.token, body, headers })

  return {
    ...world,
    operator,
    seller,
    put,
    declared: async (given: object = schema): Promise<string> => {
      const type = newType()
      const made = await put(type, { description: 'A deal was won.', schema: given })
      expect(made.status, made.text).toBe(201)
      return type
    },
    publish: (events: object[], by: Pick<Member, 'token'> = seller, key = newKey()) =>
      world.call('POST', '/v1/events', { token: by.token, key, body: { events } }),
    /** At least so many events of the type, in the order of the log. */
    logged: (type: string, count: number) =>
      eventually(`${count} events of ${type}`, async () => {
        const rows = await db.many(
          Logged,
          sql`
            -- any tenant: the test made the type
            select id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
              aggregate_version, payload
            from kernel.events where type = ${type} order by position`,
        )
        return rows.length >= count && rows
      }),
  }
}
