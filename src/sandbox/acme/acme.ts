/**
 * Acme, a payment vendor that gives results only by webhook: a double to try a provider of an own
 * application against. Nothing starts it unless the application names it.
 */
import { createServer } from 'node:http'
import { Type } from 'typebox'
import { clockControl } from '../clock-control.ts'
import { controlPlane, fits, type ControlRoute } from '../control.ts'
import { openFaultScript } from '../fault-script.ts'
import { openRecordStore } from '../record-store.ts'
import type { Vendor } from '../vendor.ts'
import { serveApi } from './api.ts'
import { Fault, type Tables, type Vended } from './records.ts'
import { openSender, publishResults } from './webhooks.ts'

const tick_ms = 25
const Config = Type.Object(
  {
    webhook_url: Type.Optional(Type.String({ maxLength: 2000 })),
    settle_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
  },
  { additionalProperties: false },
)

export const acme: Vendor = {
  name: 'acme',
  open: async setup => {
    const store = openRecordStore<Tables>(setup)
    const vended: Vended = {
      setup,
      store,
      key: setup.kept.secret('api_key'),
      webhook_secret: setup.kept.secret('webhook'),
      faults: openFaultScript((rule, { at }) => rule.at === at),
      config: () => store.get('config', 'config') ?? { webhook_url: null, settle_ms: 50 },
    }
    const sender = openSender(vended)
    const about = { vendor: 'acme', folder: setup.folder }
    const plane = controlPlane(about, [
      ...controlRoutes(vended),
      ...clockControl(setup.clock, setup.kept),
    ])
    const http = createServer((request, response) => {
      if (request.url?.startsWith('/_sandbox')) void plane(request, response)
      else void serveApi(vended, request, response)
    })
    const port = await setup.listen('api', http)
    const timer = setInterval(() => {
      publishResults(vended)
      sender.work()
    }, tick_ms)
    const api = `http://127.0.0.1:${port}`
    const { key, webhook_secret } = vended
    return {
      addresses: { api, key, webhook_secret, control: `${api}/_sandbox/` },
      close: async () => {
        clearInterval(timer)
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        await sender.close()
        store.close()
      },
    }
  },
}

function controlRoutes({ store, faults, config }: Vended): ControlRoute[] {
  return [
    {
      method: 'POST',
      path: '/config',
      run: ({ body }) => {
        const changed = { ...config(), ...fits(Config, body) }
        store.change(change => change.put('config', 'config', changed))
        return { status: 200, body: changed }
      },
    },
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(Fault, body)
        const { id, left } = faults.add(rule, rule.times ?? 1)
        return { status: 201, body: { id, left, ...rule } }
      },
    },
    {
      method: 'GET',
      path: '/effects',
      run: () => ({ status: 200, body: { data: store.all('effect') } }),
    },
    {
      method: 'POST',
      path: '/reset',
      run: () => {
        faults.clear()
        store.reset()
        return { status: 204 }
      },
    },
  ]
}
