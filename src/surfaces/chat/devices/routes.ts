/** Routes of devices. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { Device, listDevices, PutDevice, putDevice, removeDevice } from './devices.ts'

const path = '/v1/devices'
const one = `${path}/{device_id}` as const
const Devices = Type.Object({ data: Type.Array(Device, { maxItems: 100 }) }, { title: 'Devices' })

export function deviceRoutes(deps: Deps): readonly Route[] {
  const common = { permission: 'authenticated', rate_tenant: false, added: true } as const
  return [
    route({
      ...common,
      method: 'GET',
      path,
      name: 'listDevices',
      summary: 'List your devices, the last one seen first',
      replies: { 200: Devices },
      handle: async ({ tx, principal: { id: user_id, tenant_id } }) =>
        reply(200, { data: await listDevices(tx, { tenant_id, user_id }) }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: one,
      name: 'putDevice',
      params: { device_id: Id },
      summary: 'Register a device, with or without push',
      description:
        'The device chooses a UUID and keeps it. The push token is never returned. If two devices send the same push token, it belongs to the last one.',
      absent: 'validation_failed',
      body: PutDevice,
      replies: { 200: Device },
      fails: ['validation_failed'],
      handle: async ({ tx, principal, params, body }) => {
        const { id: user_id, tenant_id, session_id } = principal
        const owner = { tenant_id, user_id, session_id }
        return reply(200, await putDevice(tx, deps, owner, params.device_id, body))
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: one,
      name: 'removeDevice',
      params: { device_id: Id },
      summary: 'Remove a device',
      absent: 'device_not_found',
      replies: { 204: null },
      handle: async ({ tx, principal: { id: user_id, tenant_id }, params }) => {
        await removeDevice(tx, deps, { tenant_id, user_id }, params.device_id)
        return reply(204, null)
      },
    }),
  ]
}
