/**
 * The Stripe vendor: the parts of Stripe's API that move money, over its own wire protocol, with
 * idempotency, states, test cards, fees, payouts, disputes and webhooks. Every change is in a
 * journal before it replies, so it survives a SIGKILL. The vendor has its own clock. It has one account
 * from the start, and `POST /_sandbox/accounts` adds others.
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { ControlRoute } from '../control.ts'
import type { Setup, Vendor } from '../vendor.ts'
import { openAccount, type Account, type Credentials } from './account.ts'
import { sendBrowserPart } from './browser.ts'
import { stripeId } from './stripe-id.ts'
import { showChallenge } from './three-ds-page.ts'

export const stripe: Vendor = {
  name: 'stripe',
  open: async setup => {
    const { kept } = setup
    const key = `sk_test_${letters(kept.secret('api_key'))}`
    const publishable_key = `pk_test_${letters(kept.secret('publishable'))}`
    const webhook_secret = `whsec_${kept.secret('webhook')}`
    let address = ''
    const account = `acct_${letters(kept.secret('account'))}`
    const own = { account, key, publishable_key, webhook_secret }
    const further = openFurther(setup, () => address)
    const first = openAccount(setup, own, () => address, further.routes)
    const all = () => [first, ...further.accounts.values()]
    const http = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const [, place, about, id = '', ...rest] = url.pathname.split('/')
      if (place === '_sandbox') {
        const other = about === 'accounts' ? further.accounts.get(id) : undefined
        // The control plane of another account is below its id.
        if (other) request.url = `/_sandbox/${rest.join('/')}${url.search}`
        void (other ?? first).control(request, response)
      } else if (place === '3ds') {
        const asked = all().find(one => one.vended.store.get('payment_intent', about ?? ''))
        showChallenge((asked ?? first).vended, url, request.method ?? 'GET', response)
      } else if (url.pathname.startsWith('/js/v3')) sendBrowserPart(url.pathname, response)
      else (all().find(one => isOf(request, one)) ?? first).handle(request, response)
    })
    const port = await setup.listen('api', http)
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
        await Promise.all(all().map(one => one.close()))
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
      },
    }
  },
}

function isOf({ headers }: IncomingMessage, { key, publishable_key }: Credentials): boolean {
  return [key, publishable_key].some(one => headers.authorization === `Bearer ${one}`)
}

/** Accounts beside the first one, also those of the last run. */
function openFurther(setup: Setup, addressNow: () => string) {
  const folder = join(setup.folder, 'accounts')
  const accounts = new Map<string, Account>()
  const open = (account: string): Account => {
    const { kept } = setup
    const own = join(folder, account)
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const credentials = {
      account,
      key: `sk_test_sandbox_${letters(kept.secret(`api_key.${account}`))}`,
      publishable_key: `pk_test_sandbox_${letters(kept.secret(`publishable.${account}`))}`,
      webhook_secret: `whsec_${kept.secret(`webhook.${account}`)}`,
    }
    const opened = openAccount({ ...setup, folder: own }, credentials, addressNow)
    accounts.set(account, opened)
    return opened
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const account of readdirSync(folder)) open(account)
  const shown = ({ account, key, publishable_key, webhook_secret }: Account) => ({
    account,
    key,
    publishable_key,
    webhook_secret,
    control: `${addressNow()}/_sandbox/accounts/${account}/`,
  })
  const routes: ControlRoute[] = [
    {
      method: 'GET',
      path: '/accounts',
      run: () => ({ status: 200, body: { data: [...accounts.values()].map(shown) } }),
    },
    {
      method: 'POST',
      path: '/accounts',
      run: () => ({ status: 200, body: shown(open(stripeId('acct'))) }),
    },
  ]
  return { accounts, routes }
}

function letters(secret: string): string {
  return secret.replaceAll(/[^A-Za-z0-9]/g, '')
}
