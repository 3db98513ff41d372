/** Requests and replies of the worker protocol. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, limit, nullable, text, Time } from '#dodeca/kernel'
import { JobView, SchemaVersion, TypeName } from '../schemas.ts'

const capabilities_max = limit(
  'jobs.worker_capabilities',
  100,
  'types',
  'Most types of jobs that one worker names',
)
const Queue = Type.String({ pattern: '^[a-z0-9_.-]{1,100}$', minLength: 1, maxLength: 100 })

export const RegisterWorker = closed(
  {
    queue: Type.Optional(Queue),
    capabilities: Type.Array(
      closed({
        type: TypeName,
        versions: Type.Array(SchemaVersion, { minItems: 1, maxItems: 20, uniqueItems: true }),
      }),
      { minItems: 1, maxItems: capabilities_max },
    ),
  },
  { title: 'RegisterWorker' },
)
export type RegisterWorker = Static<typeof RegisterWorker>

export const WorkerView = Type.Object(
  {
    worker_id: Id,
    queue: Type.String(),
    /** Whether it gets jobs of all tenants. */
    all_tenants: Type.Boolean(),
    capabilities: Type.Array(
      Type.Object({ type: Type.String(), versions: Type.Array(Type.Integer()) }),
      { maxItems: capabilities_max },
    ),
    last_seen_at: Time,
  },
  { title: 'JobWorker' },
)
export type WorkerView = Static<typeof WorkerView>

export const ClaimJobs = closed(
  { claim_id: Id, max_jobs: count(1, 100), wait_seconds: Type.Optional(count(0, 20)) },
  { title: 'ClaimJobs' },
)
export type ClaimJobs = Static<typeof ClaimJobs>

const LeaseToken = text(100)

const ClaimedJob = Type.Object({
  job: JobView,
  parameters: Type.Optional(Type.Unknown()),
  input_url: Type.Optional(Type.String()),
  attempt: Type.Object({
    id: Id,
    attempt_no: Type.Integer(),
    lease_token: Type.String(),
    leased_until: Time,
    started_at: Time,
  }),
  version: Type.Integer(),
  checkpoint: Type.Unknown(),
  traceparent: nullable(
    Type.String({
      description:
        'The W3C trace in which the job was submitted. Send it with the calls that the work makes.',
    }),
  ),
})
export type ClaimedJob = Static<typeof ClaimedJob>
export const ClaimedJobs = Type.Object(
  { jobs: Type.Array(ClaimedJob, { maxItems: 100 }) },
  { title: 'ClaimedJobs' },
)

export const Heartbeats = closed(
  {
    leases: Type.Array(closed({ attempt_id: Id, lease_token: LeaseToken }), {
      minItems: 1,
      maxItems: 500,
    }),
  },
  { title: 'Heartbeats' },
)

export const RenewedLeases = Type.Object(
  {
    leases: Type.Array(
      Type.Object({
        attempt_id: Id,
        lost: Type.Optional(Type.Literal(true)),
        leased_until: Type.Optional(Time),
        version: Type.Optional(Type.Integer()),
        cancel_requested: Type.Optional(Type.Boolean()),
        deadline_at: Type.Optional(nullable(Time)),
      }),
      { maxItems: 500 },
    ),
  },
  { title: 'RenewedLeases' },
)

const Code = Type.String({ pattern: '^[a-z0-9_.-]{1,64}$', minLength: 1, maxLength: 64 })
const Quantity = count(0, Number.MAX_SAFE_INTEGER)

export const ReportProgress = closed(
  {
    lease_token: LeaseToken,
    stage: text(64),
    current: Quantity,
    total: Type.Optional(Quantity),
    message_code: Type.Optional(text(64)),
    checkpoint: Type.Optional(Type.Unknown()),
  },
  { title: 'ReportProgress' },
)

export const ReportedProgress = Type.Object(
  { sequence: Type.Integer(), cancel_requested: Type.Boolean(), version: Type.Integer() },
  { title: 'ReportedProgress' },
)

export const StoredResultView = Type.Object(
  { result_ref: Id, size: Quantity, checksum_sha256: Type.String() },
  { title: 'StoredResult' },
)

export const FinalizeAttempt = closed(
  {
    lease_token: LeaseToken,
    version: count(1, 2 ** 31 - 1),
    outcome: Type.Unsafe<'succeeded' | 'failed' | 'cancelled' | 'released'>({
      type: 'string',
      enum: ['succeeded', 'failed', 'cancelled', 'released'],
    }),
    /**
     * With `released`: the job continues after that many seconds, and occupies no slot meanwhile.
     */
    after_seconds: Type.Optional(count(0, 86_400)),
    result: Type.Optional(Type.Unknown()),
    result_ref: Type.Optional(Id),
    error: Type.Optional(
      closed({
        code: Code,
        retryable: Type.Boolean(),
        retry_after_seconds: Type.Optional(count(0, 86_400)),
      }),
    ),
  },
  { title: 'FinalizeAttempt' },
)
export type FinalizeAttempt = Static<typeof FinalizeAttempt>
