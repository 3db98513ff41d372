/**
 * The Stripe vendor: the parts of Stripe's API that move money, over its own wire protocol, with
 * idempotency, states, test cards, fees, payouts, disputes and webhooks. Every change is in its
 * journal before it replies, so it survives a SIGKILL. The vendor has its own clock.
 */
import { createServer } from 'node:http'
import { controlPlane } from '../control.ts'
import { openRecordStore } from '../record-store.ts'
import type { Setup, Vendor } from '../vendor.ts'
import { openApi } from './api.ts'
import { sendBrowserPart } from './browser.ts'
import type { Vended } from './vended.ts'
import { runDue } from './by-itself.ts'
import { controlRoutes } from './control-routes.ts'
import { Deliveries } from './deliveries.ts'
import { openFaults } from './faults.ts'
import type { Config, Tables } from './objects.ts'
import { showChallenge } from './three-ds-page.ts'

const tick_ms = 50

export const stripe: Vendor = {
  name: 'stripe',
  open: async setup => {
    const { kept, clock } = setup
    const key = `sk_test_${kept.secret('api_key').replaceAll(/[^A-Za-z0-9]/g, '')}`
    const publishable_key = `pk_test_${kept.secret('publishable').replaceAll(/[^A-Za-z0-9]/g, '')}`
    const webhook_secret = `whsec_${kept.secret('webhook')}`
    const store = openRecordStore<Tables>(setup)
    let address = ''
    const config = () => ({
      ...(store.get('config', 'config') ?? defaults(webhook_secret)),
      address,
    })
    const faults = openFaults()
    const deliveries = new Deliveries({ store, clock, faults, config })
    const tick = () => runDue(vended, api.late)
    const vended: Vended = { key, publishable_key, store, clock, faults, deliveries, config, tick }
    const api = openApi(vended)
    const plane = controlPlane(aboutOf(setup), controlRoutes(vended, kept))
    const http = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      if (url.pathname.startsWith('/_sandbox')) void plane(request, response)
      else if (url.pathname.startsWith('/3ds/')) {
        showChallenge(vended, url, request.method ?? 'GET', response)
      } else if (url.pathname.startsWith('/js/v3')) sendBrowserPart(url.pathname, response)
      else api.handle(request, response)
    })
    const port = await setup.listen('api', http)
    const timer = setInterval(tick, tick_ms)
    address = `http://127.0.0.1:${port}`
    return {
      addresses: {
        api: address,
        key,
        publishable_key,
        webhook_secret,
        control: `${address}/_sandbox/`,
      },
      close: async () => {
        clearInterval(timer)
        await deliveries.close()
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
        store.close()
      },
    }
  },
}

function aboutOf({ folder }: Setup): object {
  return { vendor: 'stripe', folder }
}

function defaults(webhook_secret: string): Config {
  return {
    address: '',
    webhook_url: null,
    secrets: [webhook_secret],
    fee_percent: 2.9,
    fee_fixed_minor: 30,
    dispute_fee_minor: 1500,
    backoff_ms: [200, 1000, 5000, 30_000, 120_000],
    lock_wait_ms: 2000,
  }
}
