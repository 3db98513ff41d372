/**
 * A claim over HTTP. Available jobs are returned immediately. Otherwise the request waits for some,
 * without a connection. If the reply to a claim was lost, the worker can repeat it with its id and
 * gets the same jobs.
 */
import {
  narrowSession,
  openSleeper,
  sql,
  type Db,
  type Principal,
  type RequestFacts,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { viewJobs } from '../jobs/view-job.ts'
import { typesFor, type FoundWorker } from './find-worker.ts'
import type { ClaimedJob, ClaimJobs } from './schemas.ts'

type ClaimDeps = Pick<Deps, 'kernel' | 'types' | 'engine' | 'files' | 'rights'>
type Leases = Awaited<ReturnType<Deps['engine']['claim']>>

export async function claimJobs(
  db: Db,
  deps: ClaimDeps,
  worker: FoundWorker & { readonly worker_id: string; readonly principal: Principal },
  asked: ClaimJobs,
  { signal, stopping }: RequestFacts,
): Promise<ClaimedJob[]> {
  await deps.types.fresh(db)
  const claim = {
    worker_id: worker.worker_id,
    claim_id: asked.claim_id,
    tenant_id: worker.tenant_id,
    max_jobs: asked.max_jobs,
  }
  const until_ms = performance.now() + (asked.wait_seconds ?? 0) * 1000
  const sleeper = openSleeper()
  const unsubscribe = deps.kernel.onWake(sleeper.wake)
  signal.addEventListener('abort', sleeper.close, { once: true })
  try {
    for (let types = worker.types; ; types = await stillAllowed(deps, worker)) {
      const rules = types.map(one => deps.types.rulesOf(one))
      const leases = await deps.engine.claim({ ...claim, types: rules })
      const left_ms = until_ms - performance.now()
      const over = leases.length > 0 || left_ms <= 0 || signal.aborted || stopping.aborted
      if (over) {
        const jobs = await shown(db, deps, leases)
        if (!signal.aborted || stopping.aborted || leases.length === 0) return jobs
        await deps.engine.releaseClaim(asked.claim_id, leases)
        return []
      }
      await sleeper.sleep(Math.min(left_ms, deps.kernel.settings['jobs.poll_ms']))
      // A lease would reach no worker, and count as lost.
      if (signal.aborted) return []
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', sleeper.close)
  }
}

/** The right may be lost while the claim waits. */
async function stillAllowed(
  { rights }: ClaimDeps,
  worker: FoundWorker & { readonly principal: Principal },
): Promise<FoundWorker['types']> {
  const { tenant_id, id: principal_id } = worker.principal
  const session_id = narrowSession(worker.principal)
  const [grants] = await rights.recentGrantsOf([{ tenant_id, principal_id, session_id }])
  return grants ? typesFor(worker, grants) : []
}

async function shown(db: Db, deps: ClaimDeps, leases: Leases): Promise<ClaimedJob[]> {
  if (leases.length === 0) return []
  const views = await viewJobs(
    db,
    deps,
    sql`
    select g.id, g.tenant_id from unnest(
      ${leases.map(one => one.job_id)}::uuid[], ${leases.map(one => one.tenant_id)}::uuid[]
    ) g (id, tenant_id)`,
  )
  const byId = new Map(views.map(view => [view.id, view]))
  const jobs = await Promise.all(
    leases.map(async lease => {
      const job = byId.get(lease.job_id)
      const input = await inputOf(db, deps, lease)
      return job && { ...claimed(lease), ...input, job }
    }),
  )
  return jobs.filter(one => one !== undefined)
}

function claimed(lease: Leases[number]): Omit<ClaimedJob, 'job'> {
  return {
    attempt: {
      id: lease.attempt_id,
      attempt_no: lease.attempt_no,
      lease_token: lease.lease_token,
      leased_until: lease.leased_until,
      started_at: lease.started_at,
    },
    version: lease.version,
    checkpoint: lease.checkpoint ?? null,
    traceparent: lease.traceparent,
  }
}

async function inputOf(db: Db, { files }: ClaimDeps, lease: Leases[number]) {
  const { input_ref, parameters } = lease
  if (input_ref === null) return { parameters: parameters ?? {} }
  const input_url = await files()?.url(db, lease, input_ref)
  return input_url === undefined ? {} : { input_url }
}
