/**
 * Commerce: the product list and a cart beside the same statements in pgbench, the first commit of a checkout
 * over many SKUs and over one, and whole checkouts through the sandbox of the payment provider.
 */
import { carts } from './commerce/carts.ts'
import { checkouts } from './commerce/checkouts.ts'
import { openGround } from './commerce/ground.ts'
import { listing } from './commerce/listing.ts'
import { placing } from './commerce/placing.ts'
import { comparison } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'

const parts = { listing, carts, checkouts, placing }

await comparison('commerce', async bench => {
  const { only } = bench.options
  const sections: Section[] = []
  const ground = await openGround(bench)
  try {
    // The last one leaves orders that nothing pays for.
    for (const [name, measure] of Object.entries(parts)) {
      if (only === null || only === name) sections.push(await measure(bench, ground))
    }
  } finally {
    await ground.close()
  }
  return sections
})
