/**
 * The route of the token that opens a socket. The token is valid once, for a minute, and for nothing else.
 */
import { Type } from 'typebox'
import { closed, Id, oneOf, rfc3339, routesOf, text, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

export const socket_path = '/v1/realtime'
export const protocol = 'realtime.v1' as const

const RealtimeToken = Type.Object(
  { token: text(4096), expires_at: Time, url: text(2048), protocol: oneOf(protocol) },
  { title: 'RealtimeToken' },
)

const { open, get } = routesOf<Deps>({ permission: 'authenticated', rate_tenant: false })

export const tokenRoutes = open({
  getRealtimeToken: get(
    '/v1/realtime-token',
    'Get a short-lived token for the WebSocket',
    {
      tool: 'never',
      // The socket does whatever a member may do in chat.
      narrow: 'chat.write',
      description:
        'Open the `url` with it once, within a minute: as the second subprotocol `token.<token>` beside `realtime.v1`, as `Authorization: Bearer`, or as `?token=`, which servers and proxies on the way may write to their logs.',
      query: closed({ device_id: Type.Optional(Id) }),
      headers: { 'cache-control': 'no-store' },
      reply: RealtimeToken,
      fails: ['permission_denied'],
    },
    async (
      { principal: { id, tenant_id, session_id }, query: { device_id } },
      { people, kernel },
    ) => {
      if (session_id === null) {
        throw problem('permission_denied', {
          detail: 'An API key opens no socket. Use the token of a session.',
        })
      }
      const made = await people.realtimeToken(session_id, id, tenant_id, device_id)
      const { token, expires_at } = made
      const url = `${kernel.public_url.replace(/^http/, 'ws')}${socket_path}`
      return { token, expires_at: rfc3339(expires_at * 1000), url, protocol }
    },
  ),
})
