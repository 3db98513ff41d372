/**
 * Counts what a run of tests opens: worlds, platforms, processes, databases, password hashes. These
 * are the budget of the suite, because minutes depend on the machine. `scripts/check.ts` names the
 * folder and prints the sums; each process appends to a file of its own, since it may be killed.
 */
import { appendFileSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import type { Registry } from 'prom-client'

export type Counted = 'worlds' | 'platforms' | 'processes' | 'databases' | 'hashes'

const folder = process.env['TEST_COUNTS']
let counting = false
const hashes = new Map<Registry, number>()

export function count(what: Counted, many = 1): void {
  if (folder && many > 0) appendFileSync(join(folder, String(process.pid)), `${what} ${many}\n`)
}

/** Counts every process that this one starts, also those that a platform in it starts. */
export function countProcesses(): void {
  if (folder && !counting) subscribe('child_process', () => count('processes'))
  counting = true
}

/** A platform was started in this process; its hashes are counted at the end of each file. */
export function countPlatform(registry: Registry): void {
  count('platforms')
  hashes.set(registry, 0)
}

export async function countHashes(): Promise<void> {
  if (!folder) return
  for (const [registry, before] of hashes) {
    const metric = registry.getSingleMetric('auth_hashes_total')
    const [now] = (await metric?.get())?.values ?? []
    count('hashes', (now?.value ?? 0) - before)
    hashes.set(registry, now?.value ?? 0)
  }
}
