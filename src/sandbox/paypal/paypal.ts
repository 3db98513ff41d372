/**
 * The PayPal vendor: tokens, orders with a page on which their payer approves them, authorizations,
 * captures, refunds, reports and signed webhooks. It has one account from the start, and
 * `POST /_sandbox/accounts` adds others. It has its own clock.
 */
import { createServer } from 'node:http'
import { Type } from 'typebox'
import { newSecret } from '#dodeca/kernel'
import { clockControl } from '../clock-control.ts'
import { controlPlane, fits, type ControlRoute } from '../control.ts'
import { openRecordStore } from '../record-store.ts'
import type { Vendor } from '../vendor.ts'
import { openApi } from './api.ts'
import { showApproval } from './approval-page.ts'
import { openSigner, type Signer } from './certificate.ts'
import { faultControl, openFaults } from './faults.ts'
import { approve, report } from './orders.ts'
import { readMoney } from './money.ts'
import { paypalId, type Account, type Config, type Tables, type Vended } from './records.ts'
import { certificatePath, openSender, signedMessage } from './webhooks.ts'

const tick_ms = 100
const first = 'first'
const usual: Config = { report_late_seconds: 3 * 3600, fee_percent: 3, backoff_ms: 200 }

const Count = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const Configured = Type.Object(
  {
    account: Type.Optional(Type.String({ maxLength: 40 })),
    webhook_url: Type.Optional(Type.Union([Type.String({ maxLength: 2000 }), Type.Null()])),
    report_late_seconds: Type.Optional(Count),
    fee_percent: Type.Optional(Count),
    backoff_ms: Type.Optional(Count),
  },
  { additionalProperties: false },
)

export const paypal: Vendor = {
  name: 'paypal',
  open: async setup => {
    const { kept, clock, folder } = setup
    const store = openRecordStore<Tables>(setup)
    const realMs = () => clock.nowMs() - clock.offsetSeconds() * 1000
    const signer = openSigner(folder, realMs())
    const faults = openFaults()
    let address = ''
    const sender = openSender(() => vended, signer)
    const vended: Vended = {
      store,
      clock,
      faults,
      tokens: new Map(),
      config: () => store.get('config', 'config') ?? usual,
      address: () => address,
      realMs,
      wake: () => void setImmediate(sender.work),
    }
    const known = kept.number(first) === 1 ? store.all('account')[0] : undefined
    const own = known ?? makeAccount(vended)
    kept.keep(first, 1)
    const handle = openApi(vended)
    const plane = controlPlane({ vendor: 'paypal', folder }, [
      ...controlRoutes(vended, own.account_id, signer),
      ...faultControl(faults),
      ...clockControl(clock, kept),
    ])
    const http = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const { pathname } = url
      if (pathname.startsWith('/_sandbox')) void plane(request, response)
      else if (pathname.startsWith('/checkoutnow')) {
        showApproval(vended, url, request.method ?? 'GET', response)
      } else if (pathname === certificatePath(signer)) response.end(signer.pem)
      else void handle(request, response, url)
    })
    const port = await setup.listen('api', http)
    address = `http://127.0.0.1:${port}`
    const timer = setInterval(sender.work, tick_ms)
    const { client_id, client_secret, webhook_id } = own
    return {
      addresses: {
        api: address,
        client_id,
        client_secret,
        webhook_id,
        control: `${address}/_sandbox/`,
      },
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

function makeAccount({ store }: Vended): Account {
  const account: Account = {
    account_id: paypalId(13),
    client_id: `sandbox_${newSecret(24)}`,
    client_secret: newSecret(24),
    webhook_id: paypalId(),
    webhook_url: null,
  }
  store.change(change => change.put('account', account.account_id, account))
  return account
}

const Approved = Type.Object({ order: Type.String({ maxLength: 40 }) })
const Moved = Type.Object({
  account: Type.Optional(Type.String({ maxLength: 40 })),
  code: Type.String({ pattern: '^T\\d{4}$' }),
  amount: Type.Object({ currency_code: Type.String(), value: Type.String() }),
  sign: Type.Union([Type.Literal(1), Type.Literal(-1)]),
})
const Signed = Type.Object({ webhook_id: Type.String(), body: Type.String({ maxLength: 100_000 }) })

function controlRoutes(vended: Vended, own: string, signer: Signer): ControlRoute[] {
  const { store } = vended
  const post = (path: string, run: (body: unknown) => unknown): ControlRoute => ({
    method: 'POST',
    path,
    run: ({ body }) => ({ status: 200, body: run(body) ?? {} }),
  })
  return [
    post('/config', body => {
      const { account: id = own, webhook_url, ...changed } = fits(Configured, body)
      store.change(change => {
        change.put('config', 'config', { ...vended.config(), ...changed })
        const account = change.get('account', id)
        if (account && webhook_url !== undefined) {
          change.put('account', id, { ...account, webhook_url })
        }
      })
      return vended.config()
    }),
    post('/accounts', () => makeAccount(vended)),
    post('/expire-tokens', () => vended.tokens.clear()),
    post('/approve', body => approve(vended, fits(Approved, body).order)),
    // Money that moves without our API, such as a withdrawal.
    post('/movements', body => {
      const { account = own, code, amount, sign } = fits(Moved, body)
      const id = paypalId()
      const moved = { account, id, amount: readMoney(amount), fee: null, code, sign }
      store.change(change => report(vended, change, moved))
      return { id }
    }),
    // The headers that this PayPal sends with a body.
    post('/sign', body => {
      const { webhook_id, body: text } = fits(Signed, body)
      return signedMessage(vended, signer, webhook_id, text)
    }),
    // As if an order that nobody finished had been forgotten.
    post('/forget', body => {
      store.change(change => change.drop('order', fits(Approved, body).order))
    }),
    {
      method: 'GET',
      path: '/effects',
      run: () => ({ status: 200, body: { data: store.all('effect') } }),
    },
  ]
}
