/**
 * Payments: postings of the ledger beside the same statement in pgbench, spread and on one hot account;
 * webhooks of the provider beside a one-row commit; our own time in an authorization; how soon a thousand
 * doubts are resolved; the balance of an account with a million entries.
 */
import { comparison } from './ground/comparison.ts'
import { balance } from './payments/balance.ts'
import { authorizing, resolving } from './payments/provider.ts'
import type { Section } from './ground/report.ts'
import { openGround } from './payments/ground.ts'
import { posting } from './payments/posting.ts'
import { receipt } from './payments/receipt.ts'

await comparison('payments', async bench => {
  const ground = await openGround(bench)
  const parts = {
    posting: () => posting(bench, ground),
    receipt: () => receipt(bench, ground),
    authorize: () => authorizing(bench, ground),
    resolver: () => resolving(ground),
    balance: () => balance(ground),
  }
  const { only } = bench.options
  try {
    const sections: Section[] = []
    for (const [name, measure] of Object.entries(parts)) {
      if (only === null || only === name) sections.push(await measure())
    }
    return sections
  } finally {
    await ground.close()
  }
})
