/**
 * The model provider of the sandbox: the Responses API, chat completions and embeddings over
 * OpenAI's own wire protocol. So the official SDK can be its client. Its text is deterministic, its
 * faults are scripted, and its stored records survive a SIGKILL.
 */
import { Buffer } from 'node:buffer'
import { createServer } from 'node:http'
import { controlPlane } from '../control.ts'
import { aws_access_key_id } from '../model/authorized.ts'
import { openRecordStore } from '../record-store.ts'
import type { Vendor } from '../vendor.ts'
import { openApi } from './api.ts'
import { controlRoutes, defaults } from './control-routes.ts'
import { openDeliveries } from './deliveries.ts'
import { openFaults } from '../model/faults.ts'
import { openRequests } from '../model/requests.ts'
import { endDue } from './responses.ts'
import type { Tables } from './store.ts'
import type { Vended } from './vended.ts'

const tick_ms = 20

export const openai: Vendor = {
  name: 'openai',
  open: async setup => {
    const { kept, clock, folder } = setup
    const key = `sk-sandbox-${kept.secret('api_key').replaceAll(/[^A-Za-z0-9]/g, '')}`
    const secret = Buffer.from(kept.secret('webhook'), 'base64url')
    const store = openRecordStore<Tables>(setup)
    const config = () => ({ ...defaults, ...store.get('config', 'config') })
    const vended: Vended = {
      key,
      store,
      clock,
      config,
      faults: openFaults(),
      requests: openRequests(clock),
      queued: new Set(
        store.all('response').flatMap(one => (one.status === 'queued' ? one.id : [])),
      ),
      deliveries: openDeliveries({ store, clock, secret, config }),
    }
    const plane = controlPlane({ vendor: 'openai', folder }, controlRoutes(vended))
    const api = openApi(vended)
    const http = createServer((request, response) => {
      if (request.url?.startsWith('/_sandbox')) void plane(request, response)
      else api(request, response)
    })
    const port = await setup.listen('api', http)
    const timer = setInterval(() => endDue(vended), tick_ms)
    const address = `http://127.0.0.1:${port}`
    return {
      addresses: {
        api: `${address}/v1`,
        key,
        aws_access_key_id,
        webhook_secret: `whsec_${secret.toString('base64')}`,
        control: `${address}/_sandbox/`,
      },
      close: async () => {
        clearInterval(timer)
        await vended.deliveries.close()
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        store.close()
      },
    }
  },
}
