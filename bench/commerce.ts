/**
 * Commerce: the product list and a cart beside the same statements in pgbench, the first commit of a checkout
 * over many SKUs and over one, whole checkouts through the sandbox of the payment provider, and the list with
 * filters in a large shop.
 */
import { browsing } from './commerce/browsing.ts'
import { carts } from './commerce/carts.ts'
import { checkouts } from './commerce/checkouts.ts'
import { openGround } from './commerce/ground.ts'
import { listing } from './commerce/listing.ts'
import { peers } from './commerce/peers.ts'
import { placing } from './commerce/placing.ts'
import { comparison } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'

const parts = { listing, carts, checkouts, placing, browsing, peers }

await comparison('commerce', async bench => {
  const { only } = bench.options
  const sections: Section[] = []
  const ground = await openGround(bench)
  try {
    // Placing runs late, because it leaves unpaid orders; browsing makes the shop ten times as large.
    for (const [name, measure] of Object.entries(parts)) {
      // The other shops are not installed with this repository.
      if (only === null ? name !== 'peers' : only === name)
        sections.push(await measure(bench, ground))
    }
  } finally {
    await ground.close()
  }
  return sections
})
