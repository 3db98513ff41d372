/**
 * Webhooks end to end, PostgreSQL on the same processors: how many go out and how soon, beside undici
 * alone and beside queues with one POST a job; what slow neighbours and a long backlog cost; what the
 * database gives; how inbound messages are received. Each part is a comparison of its own.
 */
import { StartError } from '#dodeca/kernel'
import { comparison, type Bench } from './ground/comparison.ts'
import { readOptions } from './ground/options.ts'
import type { Section } from './ground/report.ts'
import { backlog } from './webhooks/backlog.ts'
import { fairness } from './webhooks/fairness.ts'
import { fanOut } from './webhooks/fan-out.ts'
import { inbound } from './webhooks/inbound.ts'
import { queue } from './webhooks/queue.ts'
import { rivals } from './webhooks/rivals.ts'
import { single } from './webhooks/single.ts'
import { widely } from './webhooks/wide.ts'

const parts: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  fanout: fanOut,
  single,
  wide: widely,
  fairness,
  queue,
  backlog,
  rivals,
  inbound,
}

const { only } = readOptions()
const asked = Object.entries(parts).filter(([name]) => !only || name === only)
if (asked.length === 0) {
  throw new StartError(`--only is one of ${Object.keys(parts).join(', ')}.`)
}
for (const [name, part] of asked) {
  await comparison(`webhooks-${name}`, async bench => [await part(bench)])
}
