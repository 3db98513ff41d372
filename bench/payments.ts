/**
 * Payments: postings of the ledger beside the same statement in pgbench, spread and on one hot account;
 * webhooks of the provider beside a one-row commit; our own time in an authorization; how soon a thousand
 * doubts are resolved; the balance of an account with a million entries.
 */
import { comparison } from './ground/comparison.ts'
import { balance } from './payments/balance.ts'
import { authorizing, resolving } from './payments/provider.ts'
import { openGround } from './payments/ground.ts'
import { posting } from './payments/posting.ts'
import { receipt } from './payments/receipt.ts'

await comparison('payments', async bench => {
  const ground = await openGround(bench)
  try {
    return [
      await posting(bench, ground),
      await receipt(bench, ground),
      await authorizing(bench, ground),
      await resolving(ground),
      await balance(ground),
    ]
  } finally {
    await ground.close()
  }
})
