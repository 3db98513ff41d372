/**
 * Inference: what a call, a first token and a stream cost beside a bare pass-through and beside Portkey's
 * gateway, all before the same simulated provider; and what each of them does when the provider fails.
 */
import { accounting } from './inference/accounting.ts'
import { calls } from './inference/calls.ts'
import { faults } from './inference/faults.ts'
import { firstTokens } from './inference/first-tokens.ts'
import { openGround } from './inference/ground.ts'
import { relay } from './inference/relay.ts'
import { comparison } from './ground/comparison.ts'
import { upstream } from './inference/upstream.ts'
import type { Section } from './ground/report.ts'

const parts = { calls, accounting, firstTokens, upstream, relay, faults }

await comparison('inference', async bench => {
  const ground = await openGround(bench)
  const { only } = bench.options
  try {
    const sections: Section[] = []
    for (const [name, measure] of Object.entries(parts)) {
      if (only === null || only === name) sections.push(await measure(bench, ground))
    }
    return sections
  } finally {
    await ground.close()
  }
})
