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

await comparison('commerce', async bench => {
  const ground = await openGround(bench)
  try {
    return [
      await listing(bench, ground),
      await carts(bench, ground),
      await placing(bench, ground),
      await checkouts(bench, ground),
    ]
  } finally {
    await ground.close()
  }
})
