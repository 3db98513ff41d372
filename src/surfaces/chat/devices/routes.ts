/** Routes of devices. */
import { Type } from 'typebox'
import { Id, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Device, listDevices, PutDevice, putDevice, removeDevice } from './devices.ts'

const path = '/v1/devices'
const one = `${path}/{device_id}` as const
const Devices = Type.Object({ data: Type.Array(Device, { maxItems: 100 }) }, { title: 'Devices' })

const { open, get, put, del } = routesOf<Deps>({
  permission: 'authenticated',
  rate_tenant: false,
  added: true,
  params: { device_id: Id },
})

export const deviceRoutes = open({
  listDevices: get(
    path,
    'List your devices, the last one seen first',
    { reply: Devices },
    async ({ tx, principal: { id: user_id, tenant_id } }) => ({
      data: await listDevices(tx, { tenant_id, user_id }),
    }),
  ),

  putDevice: put(
    one,
    'Register a device, with or without push',
    {
      description:
        'The device chooses a UUID and keeps it. The push token is never returned. If two devices send the same push token, it belongs to the last one.',
      absent: 'validation_failed',
      body: PutDevice,
      reply: Device,
    },
    async ({ tx, principal, params, body }, deps) => {
      const { id: user_id, tenant_id, session_id } = principal
      const owner = { tenant_id, user_id, session_id }
      return await putDevice(tx, deps, owner, params.device_id, body)
    },
  ),

  removeDevice: del(
    one,
    'Remove a device',
    { absent: 'device_not_found' },
    async ({ tx, principal: { id: user_id, tenant_id }, params }, deps) => {
      await removeDevice(tx, deps, { tenant_id, user_id }, params.device_id)
    },
  ),
})
