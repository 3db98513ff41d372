/**
 * Short links compared with their limits: redirects with plain node:http and the same bytes,
 * uncached redirects with PostgreSQL, creation with pgbench, storing clicks with COPY of the same
 * rows, and statistics with their time limits. `--only=` names one of them.
 */
import { StartError } from '#dodeca/kernel'
import { comparison, type Bench } from './ground/comparison.ts'
import { readOptions } from './ground/options.ts'
import type { Section } from './ground/report.ts'
import { cold } from './links/cold.ts'
import { creating } from './links/creating.ts'
import { ingest } from './links/ingest.ts'
import { redirects } from './links/redirects.ts'
import { reading, rebuilding } from './links/statistics.ts'

const parts: Readonly<Record<string, (bench: Bench) => Promise<Section[]>>> = {
  hot: bench => redirects(bench, 'hot'),
  uniform: bench => redirects(bench, 'uniform'),
  unknown: bench => redirects(bench, 'unknown'),
  cold,
  create: creating,
  ingest,
  statistics: reading,
  rebuild: rebuilding,
}

/** Each comparison reports wrong options itself. */
function onlyOne(): string | null {
  try {
    return readOptions().only
  } catch (error) {
    if (error instanceof StartError) return null
    throw error
  }
}

const only = onlyOne()
if (only !== null && !(only in parts)) {
  process.stderr.write(`\n--only is one of ${Object.keys(parts).join(', ')}.\n`)
  process.exitCode = 1
}
for (const [name, part] of Object.entries(parts)) {
  if (only === null || only === name) await comparison(`links-${name}`, part)
}
