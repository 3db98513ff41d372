/**
 * The worker protocol: a worker with the permission for a type claims its jobs over HTTP, renews
 * their leases, reports, and finishes. The runner inside the platform uses the same functions of
 * the engine.
 */
import { Id, reply, routesOf, type Tx } from '#dodeca/kernel'
import type { Bearer } from '../attempts/engine.ts'
import { hashOf } from '../attempts/claims/claim-jobs.ts'
import type { Renewed } from '../attempts/runner/heartbeat.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { storeResult } from '../results/store-result.ts'
import { JobView } from '../schemas.ts'
import { tagOf } from '../jobs/entity-tag.ts'
import { claimJobs } from './claim-over-http.ts'
import { finalizeAttempt } from './finalize-attempt.ts'
import { findAttempt } from './find-attempt.ts'
import { findWorker, heldBy, seeWorker } from './find-worker.ts'
import { registerWorker } from './register-worker.ts'
import type { ReportPace } from './report-pace.ts'
import * as shapes from './schemas.ts'

const claims = 'jobs.workers.claim'
const checkpoint_bytes = 64 * 1024

const { open, post, put } = routesOf<Deps & { readonly pace: ReportPace }>({
  absent: 'job_attempt_not_found',
  permission: 'authenticated',
  added: true,
  // Its replies have the tokens of leases.
  tool: 'never',
})

export const workerRoutes = open({
  registerWorker: put(
    '/v1/workers/{worker_id}',
    'Register a worker and the job types that it can run',
    {
      for_types: claims,
      params: { worker_id: Id },
      asks_grants: true,
      absent: 'validation_failed',
      body: shapes.RegisterWorker,
      reply: shapes.WorkerView,
      fails: [
        'permission_denied',
        'worker_not_found',
        'unknown_job_type',
        'unsupported_schema_version',
      ],
    },
    async ({ tx, params, body, principal, grants }) => {
      const caller = { principal, grants: await grants() }
      return await registerWorker(tx, params.worker_id, body, caller)
    },
  ),

  claimJobs: post(
    '/v1/workers/{worker_id}/claims',
    'Claim jobs, or wait for some',
    {
      for_types: claims,
      description:
        'A repeated request with the same `claim_id` returns the same leases, so that a lost reply loses no job.',
      absent: 'worker_not_found',
      transaction: 'own',
      body: shapes.ClaimJobs,
      reply: shapes.ClaimedJobs,
    },
    async ({ db, params, body, principal, grants, request }, deps) => {
      const { worker_id } = params
      const caller = { principal, grants: await grants() }
      const worker = await findWorker(db, worker_id, caller)
      await seeWorker(db, worker_id, principal)
      const jobs = await claimJobs(db, deps, { ...worker, worker_id, principal }, body, request)
      return { jobs }
    },
  ),

  sendWorkerHeartbeat: post(
    '/v1/workers/{worker_id}/heartbeats',
    'Renew the leases of attempts, and get the states of their jobs',
    {
      for_types: claims,
      absent: 'worker_not_found',
      transaction: 'own',
      body: shapes.Heartbeats,
      reply: shapes.RenewedLeases,
    },
    async ({ db, params, body, principal, grants }, { engine }) => {
      const caller = { principal, grants: await grants() }
      await findWorker(db, params.worker_id, caller)
      await seeWorker(db, params.worker_id, principal)
      const renewed = await engine.heartbeat(body.leases, heldBy(params.worker_id, caller))
      return { leases: body.leases.map(lease => answerTo(lease, renewed)) }
    },
  ),

  reportJobProgress: post(
    '/v1/job-attempts/{attempt_id}/progress',
    'Report progress, and save a checkpoint for a later attempt',
    {
      for_types: claims,
      sends: [],
      description:
        'Requires the lease token of the attempt. A later attempt receives the last checkpoint.',
      transaction: 'own',
      body: shapes.ReportProgress,
      body_limit_bytes: 128 * 1024,
      reply: shapes.ReportedProgress,
      fails: ['lease_lost'],
    },
    async ({ db, params, body, principal, grants }, { engine, pace }) => {
      const attempt = await findAttempt(db, params.attempt_id, principal, await grants())
      const { lease_token, ...step } = body
      const saved = JSON.stringify(step.checkpoint ?? null)
      if (Buffer.byteLength(saved) > checkpoint_bytes) throw problem('content_too_large')
      const wait_seconds = pace.take(attempt.id)
      if (wait_seconds > 0) throw problem('rate_limited', { retry_after: wait_seconds })
      const noted = await engine.progress({ attempt_id: attempt.id, lease_token }, step)
      if (!noted) throw problem('lease_lost')
      return noted
    },
  ),

  storeJobResult: put(
    '/v1/job-attempts/{attempt_id}/result',
    'Store a result as bytes of any media type',
    (deps: Deps) => ({
      for_types: claims,
      description:
        'The worker proves its lease with the header `Job-Lease-Token`. Then send the `result_ref` of the reply when you finish the attempt.',
      transaction: 'own',
      consumes: 'raw',
      body_limit_bytes: deps.kernel.settings['jobs.result_limit_bytes'],
      replies: { 201: shapes.StoredResultView },
      fails: ['lease_lost', 'validation_failed'],
    }),
    async ({ db, params, principal, grants, request }, deps) => {
      const attempt = await findAttempt(db, params.attempt_id, principal, await grants())
      const lease_token = request.headers['job-lease-token']
      if (typeof lease_token !== 'string' || lease_token.length > 100) {
        const pointer = '/job-lease-token'
        throw problem('validation_failed', {
          errors: [{ location: 'header', pointer, constraint: 'required' }],
        })
      }
      const bearer = { attempt_id: attempt.id, lease_token }
      const media_type = mediaTypeOf(request.headers['content-type'])
      const hold = (tx: Tx) => deps.engine.attemptFence(tx, bearer)
      return await storeResult(deps.kernel, hold, media_type, request.raw)
    },
  ),

  finalizeJobAttempt: post(
    '/v1/job-attempts/{attempt_id}/finalize',
    'Finish an attempt',
    {
      for_types: claims,
      description:
        'Requires the current lease token and version. A repeated call gets the same reply. A call ' +
        'with another outcome or another result is refused, because only the first one is stored.',
      transaction: 'own',
      body: shapes.FinalizeAttempt,
      body_limit_bytes: 512 * 1024,
      reply: JobView,
      fails: [
        'lease_lost',
        'version_conflict',
        'attempt_finished',
        'result_invalid',
        'validation_failed',
      ],
    },
    async ({ db, params, body, principal, grants }, deps) => {
      const attempt = await findAttempt(db, params.attempt_id, principal, await grants())
      const job = await finalizeAttempt(db, deps, attempt, body)
      return reply(200, job, { etag: tagOf(job) })
    },
  ),
})

/** One request may contain an attempt twice, with its token and with another one. */
function answerTo({ attempt_id, lease_token }: Bearer, renewed: readonly Renewed[]) {
  const [id, hash] = [attempt_id.toLowerCase(), hashOf(lease_token)]
  const found = renewed.find(one => one.attempt_id === id && one.token_hash.equals(hash))
  if (!found) return { attempt_id, lost: true as const }
  const { leased_until, version, cancel_requested, deadline_at } = found
  return { attempt_id, leased_until, version, cancel_requested, deadline_at }
}

/** The worker's media type is returned unchanged, if it is valid. */
function mediaTypeOf(header: string | string[] | undefined): string {
  const given = String(header ?? '')
  const form = /^[\w.+-]{1,60}\/[\w.+-]{1,100}(; ?charset=[\w-]{1,40})?$/i
  return form.test(given) ? given.toLowerCase() : 'application/octet-stream'
}
