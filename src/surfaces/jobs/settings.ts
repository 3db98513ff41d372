/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { faultsIn, setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'jobs.concurrency': setting.count(20, 'jobs', 'Jobs that one process runs at once', 1, 10_000),
  'jobs.claim_batch': setting.count(100, 'jobs', 'Jobs that one claim takes at most', 1, 1000),
  'jobs.poll_ms': setting.count(1000, 'ms', 'How often a claim that waits looks for work without being woken', 10, 60_000),
  'jobs.lease_seconds': setting.count(30, 's', 'Lease of an attempt, where its type does not say otherwise', 1, 900),
  'jobs.lease_losses': setting.count(3, 'losses', 'Lost leases after which a job fails as worker_lost', 1, 100),
  'jobs.timeout_seconds': setting.count(600, 's', 'Longest time of one attempt, where its type does not say otherwise', 1, 30 * 86_400),
  'jobs.max_attempts': setting.count(5, 'attempts', 'Attempts of a job, where its type does not say otherwise', 1, 50),
  'jobs.backoff_base_ms': setting.count(2000, 'ms', 'Longest wait before the second attempt; it doubles with each one', 1, 3_600_000),
  'jobs.backoff_cap_ms': setting.count(900_000, 'ms', 'Longest wait before any attempt', 1, 86_400_000),
  'jobs.cancel_grace_seconds': setting.count(30, 's', 'Time to stop at a safe point after a cancel or a deadline', 0, 3600),
  'jobs.stop_grace_seconds': setting.count(10, 's', 'Time that running jobs have when their process stops', 0, 600),
  'jobs.tenant_running': setting.count(1000, 'jobs', 'Jobs of a tenant that run at once', 1, 1_000_000),
  'jobs.tenant_waiting': setting.count(100_000, 'jobs', 'Jobs of a tenant that wait', 1, 100_000_000),
  'jobs.parameters_bytes': setting.count(16 * 1024, 'bytes', 'Parameters of a job as JSON', 256, 2 ** 20),
  'jobs.schema_bytes': setting.count(32 * 1024, 'bytes', 'One JSON Schema of a job type', 256, 2 ** 20),
  'jobs.schedule_ahead_days': setting.count(366, 'days', 'How far ahead a job may be scheduled', 1, 3660),
  'jobs.progress_kept': setting.count(1000, 'entries', 'Entries of progress that are kept of a job', 1, 1_000_000),
  'jobs.progress_retention_days': setting.count(7, 'days', 'How long the progress of an ended job is kept', 1, 3650),
  'jobs.result_limit_bytes': setting.count(32 * 2 ** 20, 'bytes', 'Largest result that a worker stores as bytes', 1024, 2 ** 30),
  'jobs.result_url_seconds': setting.count(300, 's', 'How long the address of a result can be used', 10, 86_400),
  'jobs.watch_max_per_principal': setting.count(20, 'streams', 'Event streams of jobs that one principal has open', 1, 100_000),
  'jobs.watch_seconds': setting.count(3600, 's', 'Longest life of one event stream of a job', 1, 86_400),
  'jobs.open_runs_per_tenant': setting.count(20_000, 'workflows', 'Workflows of a tenant that wait', 1, 100_000_000),
  'jobs.steps_per_run': setting.count(1000, 'steps', 'Steps of one workflow', 1, 100_000),
  'jobs.step_result_bytes': setting.count(64 * 1024, 'bytes', 'Result of one step as JSON', 256, 2 ** 20),
  'jobs.open_waits': setting.count(100, 'waits', 'Events and other workflows for which one workflow waits at once', 1, 10_000),
  'jobs.broad_waits_per_tenant': setting.count(1000, 'waits', 'Waits of a tenant for events of any aggregate, that is, without `/aggregate_id`', 0, 100_000),
  'jobs.invoke_depth': setting.count(10, 'levels', 'Workflows that invoke one another, below the first', 1, 100),
  'jobs.signal_bytes': setting.count(64 * 1024, 'bytes', 'Data of one signal as JSON', 256, 2 ** 20),
  'jobs.signals_unread': setting.count(1000, 'signals', 'Signals of a workflow that no step has read', 1, 100_000),
  'jobs.signals_per_hour': setting.count(10_000, 'signals', 'Signals to the workflows of a tenant in an hour', 1, 100_000_000),
  'jobs.schedule_catch_up_max': setting.count(100, 'runs', 'Missed runs of a schedule that are made up for at once', 1, 10_000),
  'jobs.schedule_on_time_seconds': setting.count(5, 's', 'A scheduled run that begins later than this was missed: `catch_up: skip` leaves it out', 1, 3600),
  'jobs.schedules_per_tenant': setting.count(100, 'schedules', 'Schedules of a tenant', 1, 100_000),
  'jobs.results_retention_days': setting.count(7, 'days', 'How long results are kept', 1, 3650),
  'jobs.retention_days': setting.count(30, 'days', 'How long ended jobs are kept', 1, 3650),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Combinations that cannot work. */
export function settingFaults(given: Kernel['settings']): string[] {
  const stop_seconds = given['kernel.drain_seconds'] + given['jobs.stop_grace_seconds']
  return faultsIn([
    [
      stop_seconds >= given['kernel.shutdown_seconds'],
      'JOBS_STOP_GRACE_SECONDS and KERNEL_DRAIN_SECONDS together must be below KERNEL_SHUTDOWN_SECONDS, or a stop is cut off before running jobs are given back. Lower the first or raise the last.',
    ],
    [
      given['jobs.backoff_cap_ms'] < given['jobs.backoff_base_ms'],
      'JOBS_BACKOFF_CAP_MS must not be below JOBS_BACKOFF_BASE_MS: the longest wait before any attempt is at least the one before the second. Raise the first or lower the second.',
    ],
  ])
}
