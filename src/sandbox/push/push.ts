/**
 * The push vendor. It has Web Push services for simulated browsers (it checks VAPID and decrypts),
 * FCM's HTTP v1 over HTTP/2 for device tokens, and the token endpoint of its service account.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { newId } from '#dodeca/kernel'
import { controlPlane } from '../control.ts'
import { faultRoutes, openHttpFaults, type HttpFaults } from '../http-fault.ts'
import { openMailbox, type Mailbox } from '../mailbox.ts'
import { messageRoutes } from '../message-routes.ts'
import type { Vendor } from '../vendor.ts'
import { openAccount } from './account.ts'
import { sendMessage } from './fcm.ts'
import { openSubscriptions } from './subscriptions.ts'
import type { Vended } from './vended.ts'
import { receivePush } from './web-push.ts'

export const push: Vendor = {
  name: 'push',
  open: async setup => {
    const base: { mailbox: Mailbox; faults: HttpFaults } = {
      mailbox: openMailbox(setup.folder, setup.clock),
      faults: openHttpFaults(),
    }
    const ready: { vended?: Vended; plane?: ReturnType<typeof controlPlane> } = {}
    const http = createServer((request, response) => {
      const { vended, plane } = ready
      if (!vended || !plane) return void response.writeHead(503).end()
      if (request.url?.startsWith('/_sandbox')) return void plane(request, response)
      void serve(vended, request, response).catch(() => response.destroy())
    })
    const port = await setup.listen('api', http)
    const api = `http://127.0.0.1:${port}`
    const made: Vended = {
      ...base,
      subscriptions: openSubscriptions(setup.folder, api),
      account: await openAccount(setup.folder, `${api}/token`),
    }
    const h2 = createHttp2()
    const sessions = new Set<{ destroy(): void }>()
    h2.on('session', session => {
      sessions.add(session)
      session.on('close', () => sessions.delete(session))
    })
    h2.on(
      'stream',
      (stream, headers) => void sendMessage(made, stream, headers).catch(() => stream.destroy()),
    )
    const h2_port = await setup.listen('fcm', h2)
    ready.plane = controlPlane({ vendor: 'push', folder: setup.folder }, controlRoutes(made))
    ready.vended = made
    return {
      addresses: {
        api,
        fcm: `http://127.0.0.1:${h2_port}`,
        fcm_account: made.account.file,
        control: `${api}/_sandbox/`,
      },
      close: async () => {
        for (const session of sessions) session.destroy()
        h2.close()
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        base.mailbox.close()
      },
    }
  },
}

function controlRoutes({ mailbox, faults, subscriptions }: Vended) {
  return [
    ...messageRoutes(mailbox, null),
    ...faultRoutes('push', faults),
    {
      method: 'POST' as const,
      path: '/subscriptions',
      run: () => ({ status: 201, body: subscriptions.make(newId()) }),
    },
    {
      method: 'POST' as const,
      path: '/reset',
      run: () => {
        mailbox.reset()
        faults.clear()
        return { status: 204 }
      },
    },
  ]
}

async function serve(vended: Vended, request: IncomingMessage, response: ServerResponse) {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const body = await bodyOf(request)
  if (request.method === 'POST' && path === '/token') {
    const token = await vended.account.tokenFor(new URLSearchParams(body.toString('utf8')))
    response.writeHead(token ? 200 : 401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        token ? { access_token: token, expires_in: 3600 } : { error: 'invalid_grant' },
      ),
    )
    return
  }
  const id = /^\/push\/([0-9a-f-]{36})$/.exec(path)?.[1]
  if (request.method !== 'POST' || id === undefined) return void response.writeHead(404).end()
  await receivePush(vended, id, { request, response, body })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
