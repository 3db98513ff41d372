/**
 * Vendure and Medusa beside ours: carts that are ready to be ordered, ordered by 8 buyers, and ten units with
 * 100 buyers at once. They are installed in a folder of their own, which DODECA_PEERS names.
 */
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { newId, StartError } from '#dodeca/kernel'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { ended, residentMegabytes, startOn } from '../ground/machine.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import { accountOf, fillCarts, numberedId, tenant_id, type Ground } from './ground.ts'
import { medusa } from './medusa.ts'
import type { Peer, Shop } from './peer.ts'
import { vendure } from './vendure.ts'

const buyers = 8
const orders = 100
const stock = { plenty: 1_000_000, rare: 10 }
const racers = 100
const first = { plenty: 8_000_000, rare: 8_500_000 }

export async function peers(bench: Bench, ground: Ground): Promise<Section> {
  const folder = process.env['DODECA_PEERS']
  if (!folder) {
    throw new StartError(
      'Install the peers first: npm install @vendure/core@3.7.3 pg in a folder vendure, and ' +
        '@medusajs/medusa@2.21.2 @medusajs/framework@2.21.2 @medusajs/cli@2.21.2 in a folder ' +
        'medusa beside it. DODECA_PEERS names the folder of both.',
    )
  }
  const rows = [await measure('Dodeca', await ours(ground), ground.program.pid)]
  await ground.program.stop()
  for (const peer of [vendure, medusa]) rows.push(await run(bench, folder, peer))
  return {
    title: 'Orders of prepared carts, 8 buyers, and 100 buyers of ten units',
    columns: ['', 'orders/s', 'p50 ms', 'p99 ms', 'MB', 'orders of ten units', 'refused'],
    rows,
    verdicts: [],
    notes: [
      `${orders} carts of one product with tax and one shipping method; measured is the call that orders. ` +
        'One process each in production mode, one after the other, on one PostgreSQL.',
      'The payment of ours goes through the sandbox, a process of its own; that of the others is answered in process.',
      'No process was warmed up. All carts are prepared first: Vendure checks the stock when a cart is prepared for its payment, and not when it is paid, so it accepts all of them.',
    ],
  }
}

async function run({ database }: Bench, folder: string, peer: Peer): Promise<string[]> {
  const cwd = join(folder, peer.folder)
  const database_url = await database.create(`commerce_${peer.folder}`)
  const port = await freePort()
  const environment = {
    NODE_ENV: 'production',
    DATABASE_URL: database_url,
    PORT: port,
    MEDUSA_DISABLE_TELEMETRY: 'true',
  }
  const prepared = peer.prepare?.(cwd, environment) ?? ''
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: peer.arguments(cwd, database_url, port),
    env: environment,
    cwd,
  })
  child.stdout?.resume()
  child.stderr?.resume()
  try {
    const url = `http://127.0.0.1:${port}`
    while (!(await isReady(url + peer.health))) {
      if (child.exitCode !== null) throw new Error(`${peer.name} has ended`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    return await measure(peer.name, await peer.open(url, prepared), child.pid)
  } finally {
    // Its data is not needed, and it may take long to end.
    child.kill('SIGKILL')
    await ended(child)
  }
}

async function measure(name: string, shop: Shop, pid: number | undefined): Promise<string[]> {
  const tell = (what: string) => void process.stderr.write(`  ${name}: ${what}\n`)
  tell('is ready')
  const plenty = await cartsOf(shop, stock.plenty, orders)
  tell('has its carts')
  const latencies: number[] = []
  const began = performance.now()
  await share(plenty, async cart => {
    const at = performance.now()
    const outcome = await shop.order(cart)
    if (outcome !== 'ordered') throw new Error(`${name}: ${outcome}`)
    latencies.push(performance.now() - at)
  })
  const seconds = (performance.now() - began) / 1000
  tell(`${figure(orders / seconds)} orders/s`)
  const rare = await cartsOf(shop, stock.rare, racers)
  const outcomes = await Promise.all(rare.map(cart => shop.order(cart)))
  const refused = Map.groupBy(
    outcomes.filter(one => one !== 'ordered'),
    one => one,
  )
  const memory = await residentMegabytes(pid)
  return [
    name,
    figure(orders / seconds),
    figure(percentile(latencies, 0.5)),
    figure(percentile(latencies, 0.99)),
    memory === null ? '–' : figure(memory),
    String(outcomes.filter(one => one === 'ordered').length),
    [...refused].map(([why, all]) => `${all.length} × ${why}`).join(', ') || 'none',
  ]
}

async function cartsOf(shop: Shop, of: number, count: number): Promise<string[]> {
  const product = await shop.product(of)
  const carts: string[] = []
  await share(Array.from({ length: count }), async () => {
    carts.push(await shop.cart(product))
  })
  return carts
}

async function share<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  await Promise.all(
    Array.from({ length: buyers }, async () => {
      for (const one of left) await work(one)
    }),
  )
}

async function ours({ database_url, people, program }: Ground): Promise<Shop> {
  const list = people.map(one => `'${accountOf(one.access_token)}'::uuid`).join(', ')
  const owner = `(array[${list}])[n % ${people.length} + 1]`
  await fillCarts(database_url, { first: first.plenty, count: orders, owner, sku: `'S-3'` })
  await fillCarts(database_url, { first: first.rare, count: racers, owner, sku: `'S-4'` })
  await ask(
    database_url,
    `update commerce.inventory_items set on_hand = ${stock.rare}
     where tenant_id = '${tenant_id}' and sku = 'S-4'`,
  )
  const next: Record<string, number> = { plenty: first.plenty, rare: first.rare }
  return {
    product: of => Promise.resolve(of === stock.rare ? 'rare' : 'plenty'),
    cart: product => {
      const n = next[product] ?? 0
      next[product] = n + 1
      return Promise.resolve(String(n))
    },
    order: async cart => {
      const n = Number(cart)
      const answer = await fetch(`http://127.0.0.1:${program.port}/v1/checkouts`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${people[n % people.length]?.access_token}`,
          'idempotency-key': newId(),
        },
        body: JSON.stringify({
          cart_id: numberedId('30000000', n),
          payment: { payment_method: 'pm_card_visa' },
        }),
      })
      const { code } = (await answer.json()) as { code?: string }
      return answer.status === 201 ? 'ordered' : (code ?? String(answer.status))
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return String(address.port)
}
