/**
 * Uploads beside what they cost at least: parts against bare node:http with the same guarantees and
 * @tus/server, whole small uploads against Fastify with pg, completion against `cat | sha256sum`,
 * downloads against a bare stream, derivatives against a loop over sharp, and memory while 2 GiB arrive.
 * Rounds shorter than the usual ones (`--seconds=1`) run with a sixteenth of each size, as a trial.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { comparison, type Bench } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'
import { openBed, type Bed } from './uploads/bed.ts'
import { completion } from './uploads/completion.ts'
import { derivatives } from './uploads/derivatives.ts'
import { downloads } from './uploads/downloads.ts'
import { memory } from './uploads/memory.ts'
import { parts } from './uploads/parts.ts'
import { small } from './uploads/small.ts'

const measures: Readonly<Record<string, (bed: Bed) => Promise<Section>>> = {
  parts,
  small,
  completion,
  downloads,
  derivatives,
  memory,
}

await comparison('uploads', async (bench: Bench) => {
  // The client on one processor; what serves is started on the other.
  if (spawnSync('taskset', ['-V']).status === 0) {
    execFileSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
  }
  const { only } = bench.options
  const sections: Section[] = []
  for (const [name, measure] of Object.entries(measures)) {
    if (only !== null && only !== name) continue
    const bed = await openBed(bench, name)
    try {
      sections.push(await measure(bed))
    } finally {
      await bed.close()
    }
  }
  return sections
})
