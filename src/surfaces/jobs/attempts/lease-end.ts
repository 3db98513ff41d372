/**
 * Computes the end of a lease that is given or renewed now. The end is after the lease's own
 * length, but not later than the attempt's time limit, and not later than the grace period after
 * the job's deadline or cancel. So every job is taken from its worker in the same way: the lease
 * expires, and the sweep finds it.
 */
import { sql, type Sql } from '#dodeca/kernel'

type Bounds = {
  readonly lease_seconds: Sql
  readonly timeout_at: Sql
  readonly grace_seconds: number
  /** A row with the columns deadline_at and cancel_requested_at, in the platform's time. */
  readonly job: Sql
}

export function leaseEnd({ lease_seconds, timeout_at, grace_seconds, job }: Bounds): Sql {
  return sql`least(
    now() + make_interval(secs => ${lease_seconds}),
    ${timeout_at},
    now() + (least(${job}.deadline_at, ${job}.cancel_requested_at)
      + make_interval(secs => ${grace_seconds}) - kernel.now()))`
}
