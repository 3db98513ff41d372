/**
 * One account of this Stripe. Its objects, balance, events, webhooks, faults and control plane are its
 * own, and its key opens no other account.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { controlPlane, type ControlRoute } from '../control.ts'
import { openRecordStore } from '../record-store.ts'
import type { Setup } from '../vendor.ts'
import { openApi } from './api.ts'
import { runDue } from './by-itself.ts'
import { controlRoutes } from './control-routes.ts'
import { Deliveries } from './deliveries.ts'
import { openFaults } from './faults.ts'
import type { Config, Tables } from './objects.ts'
import type { Vended } from './vended.ts'

export type Credentials = {
  readonly account: string
  readonly key: string
  readonly publishable_key: string
  readonly webhook_secret: string
}

export type Account = Credentials & {
  readonly vended: Vended
  handle(request: IncomingMessage, response: ServerResponse): void
  control(request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

const tick_ms = 50

export function openAccount(
  setup: Setup,
  credentials: Credentials,
  addressNow: () => string,
  more: readonly ControlRoute[] = [],
): Account {
  const { kept, clock, folder } = setup
  const { webhook_secret, ...known } = credentials
  const store = openRecordStore<Tables>(setup)
  const config = () => ({
    ...(store.get('config', 'config') ?? defaults(webhook_secret)),
    address: addressNow(),
  })
  const faults = openFaults()
  const deliveries = new Deliveries({ store, clock, faults, config })
  const tick = () => runDue(vended, api.late)
  const vended: Vended = {
    ...known,
    store,
    clock,
    faults,
    deliveries,
    config,
    tick,
    requests: { count: 0 },
  }
  const api = openApi(vended)
  const routes = [...controlRoutes(vended, kept), ...more]
  const timer = setInterval(tick, tick_ms)
  return {
    ...credentials,
    vended,
    handle: api.handle,
    control: controlPlane({ vendor: 'stripe', folder }, routes),
    close: async () => {
      clearInterval(timer)
      await deliveries.close()
      store.close()
    },
  }
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
