/**
 * Long work beside the queues that people use and beside pgbench with the platform's own statements.
 * Each part is a comparison of its own with its own section of the report; `--only=` names one of them.
 */
import { comparison, type Bench } from './ground/comparison.ts'
import { readOptions } from './ground/options.ts'
import type { Section } from './ground/report.ts'
import { backlog } from './jobs/backlog.ts'
import { flood } from './jobs/flood.ts'
import { idleSession } from './jobs/idle-session.ts'
import { latency } from './jobs/latency.ts'
import { recovery } from './jobs/recovery.ts'
import { rules } from './jobs/rules.ts'
import { stalls } from './jobs/stalls.ts'
import { deleted, kept } from './jobs/throughput.ts'

const parts: Readonly<Record<string, (bench: Bench) => Promise<readonly Section[]>>> = {
  kept,
  deleted,
  latency,
  backlog,
  recovery,
  rules,
  flood,
  'idle-session': idleSession,
  stalls,
}

const { only } = readOptions()
const asked = Object.entries(parts).filter(([name]) => only === null || only === name)
for (const [name, measure] of asked) await comparison(`jobs ${name}`, measure)
if (asked.length === 0) {
  process.stderr.write(`\n--only is one of ${Object.keys(parts).join(', ')}.\n`)
  process.exitCode = 1
}
