/**
 * When a lease ends that is given or renewed now: after its own time, but never later than the attempt's
 * time, nor than the grace after the job's deadline or after its cancel. So whatever takes a job away
 * from its worker does it in one way: the lease lapses, and the sweep finds it.
 */
import { sql, type Sql } from '../../../kernel/database/sql.ts'

type Bounds = {
  readonly lease_seconds: Sql
  readonly timeout_at: Sql
  readonly grace_seconds: number
  /** What has the columns deadline_at and cancel_requested_at, in the platform's time. */
  readonly job: Sql
}

export function leaseEnd({ lease_seconds, timeout_at, grace_seconds, job }: Bounds): Sql {
  return sql`least(
    now() + make_interval(secs => ${lease_seconds}),
    ${timeout_at},
    now() + (least(${job}.deadline_at, ${job}.cancel_requested_at)
      + make_interval(secs => ${grace_seconds}) - kernel.now()))`
}
