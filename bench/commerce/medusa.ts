/** A shop in Medusa, by its store interface; its payment is answered in process. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer, Shop } from './peer.ts'

const config = `const { defineConfig } = require('@medusajs/framework/utils')
module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: '*', adminCors: '*', authCors: '*',
      jwtSecret: 'only for a benchmark', cookieSecret: 'only for a benchmark',
    },
  },
  admin: { disable: true },
})
`
const binary = 'node_modules/@medusajs/cli/cli.js'

function prepare(folder: string, environment: Readonly<Record<string, string>>): string {
  writeFileSync(join(folder, 'medusa-config.js'), config)
  const run = (...given: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...given], {
      cwd: folder,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`medusa ${given.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  run('db:migrate')
  // It runs the default export of a file in its folder.
  const seed = new URL('./medusa-seed.ts', import.meta.url).href
  writeFileSync(join(folder, 'seed.mjs'), `export { seed as default } from '${seed}'\n`)
  return /^shop (.*)$/m.exec(run('exec', './seed.mjs'))?.[1] ?? ''
}

type Made = {
  readonly region: string
  readonly option: string
  readonly key: string
  readonly variants: Readonly<Record<string, string>>
}

async function open(url: string, prepared: string): Promise<Shop> {
  const { region, option, key, variants } = JSON.parse(prepared) as Made
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}/store/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-publishable-api-key': key },
      body: JSON.stringify(body),
    })
    const read = (await answer.json()) as Readonly<Record<string, unknown>>
    return { status: answer.status, read }
  }
  const made = async (path: string, name: string, body: object): Promise<string> => {
    const { status, read } = await post(path, body)
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(read)}`)
    return (read[name] as { id: string }).id
  }
  const address = {
    first_name: 'Mara',
    last_name: 'Lindqvist',
    address_1: 'Lindenstraße 12',
    city: 'Berlin',
    postal_code: '10969',
    country_code: 'de',
  }
  return {
    product: stock => Promise.resolve(variants[stock] ?? ''),
    cart: async variant_id => {
      const cart = await made('carts', 'cart', {
        region_id: region,
        email: `${crypto.randomUUID()}@example.test`,
        shipping_address: address,
        billing_address: address,
        items: [{ variant_id, quantity: 1 }],
      })
      await made(`carts/${cart}/shipping-methods`, 'cart', { option_id: option })
      const payment = await made('payment-collections', 'payment_collection', { cart_id: cart })
      const session = { provider_id: 'pp_system_default' }
      await made(`payment-collections/${payment}/payment-sessions`, 'payment_collection', session)
      return cart
    },
    order: async cart => {
      const { status, read } = await post(`carts/${cart}/complete`, {})
      return status === 200 && read['type'] === 'order' ? 'ordered' : `${status}`
    },
  }
}

export const medusa: Peer = {
  name: 'Medusa 2.21.2',
  folder: 'medusa',
  prepare,
  arguments: () => [binary, 'start'],
  health: '/health',
  open,
}
