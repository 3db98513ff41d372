/**
 * The cost of a claim with many waiting jobs, and the result of ends that come too late: calls the
 * functions of the worker protocol one after the other.
 */
import pg from 'pg'
import { loadConfig } from '../../../src/settings.ts'
import { newId } from '#dodeca/kernel'
import { composition } from '../../../src/platform.ts'
import { start } from '../../../src/runtime/start.ts'
import { analyzeFilled, ask } from '../database.ts'
import { productionEnvironment } from '../platform.ts'
import { percentile } from '../rounds.ts'
import { openEngine, type Engine } from '../../../src/surfaces/jobs/attempts/engine.ts'
import { load_jobs } from './load-jobs.ts'
import { settings } from '../../../src/surfaces/jobs/settings.ts'

const rules = {
  type: 'bench.nothing',
  schema_version: 1,
  lease_seconds: 30,
  timeout_seconds: 600,
  backoff: { base_ms: 1, cap_ms: 1 },
  tenant_max_running: null,
}

export type Bench = { readonly url: string; readonly engine: Engine; close(): Promise<void> }

export async function openClaims(url: string): Promise<Bench> {
  const environment = {
    ...productionEnvironment(url),
    ROLES: 'api',
    JOBS_TENANT_RUNNING: '1000000',
  }
  const running = await start(loadConfig({}, environment), () => {}, composition)
  const engine = openEngine({
    rights: { recentGrantsOf: () => Promise.resolve([]) },
    kernel: running.platform.kernelFor({ settings }),
    listeners: { ended: () => undefined, settleDependents: async () => {} },
    rulesOf: () => rules,
    builtIn: () => undefined,
    builtIns: () => [],
    openSteps: () => {
      throw new Error('nothing runs here')
    },
    checkResult: async () => {},
  })
  return { url, engine, close: running.stop }
}

export async function fill({ url }: Bench, jobs: number, tenants: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    for (let left = jobs; left > 0; left -= 50_000) {
      await client.query(load_jobs, [Math.min(left, 50_000), tenants])
    }
  } finally {
    await client.end()
  }
  await analyzeFilled(url)
}

async function claim({ engine }: Bench, max_jobs: number) {
  const asked = { worker_id: newId(), claim_id: newId(), types: [rules], tenant_id: null, max_jobs }
  return await engine.claim(asked)
}

/** Milliseconds of claims of so many jobs each. */
export async function claimTimes(
  bench: Bench,
  claims: number,
  each: number,
): Promise<{ p50: number; p99: number }> {
  const times_ms: number[] = []
  for (let empty = 0; times_ms.length < claims;) {
    const from = performance.now()
    const leases = await claim(bench, each)
    const took_ms = performance.now() - from
    if (leases.length > 0) times_ms.push(took_ms)
    // After a slow scan for tenants with work the next one is put off.
    else if (++empty > claims) throw new Error('nothing is claimed any more')
    else await new Promise(resolve => setTimeout(resolve, 20))
  }
  return { p50: percentile(times_ms, 0.5), p99: percentile(times_ms, 0.99) }
}

/**
 * Lets this number of leases expire and other workers take them. Returns how many of the late ends
 * were accepted.
 */
export async function stallAll(
  bench: Bench,
  stalls: number,
): Promise<{ stale: number; taken: number }> {
  const { engine, url } = bench
  await fill(bench, stalls, 100)
  const stale = []
  while (stale.length < stalls) stale.push(...(await claim(bench, 100)))
  await ask(url, `update jobs.job_attempts set leased_until = now() where state = 'running'`)
  await engine.loops.find(one => one.name === 'jobs.sweep')?.run(new AbortController().signal)
  let again = 0
  while (again < stalls) again += (await claim(bench, 100)).length
  let taken = 0
  for (const { attempt_id, lease_token, version } of stale) {
    const ending = { outcome: 'succeeded' } as const
    const versions = [version, version + 2]
    for (const shown of versions) {
      const { said } = await engine.finalize({ attempt_id, lease_token, version: shown, ending })
      if (said !== 'lease_lost') taken++
    }
  }
  return { stale: stale.length, taken }
}
