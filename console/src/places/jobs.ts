/** The place of jobs: jobs, queues, types, schedules and rules. */
import { StepTimeline } from '../panels/step-timeline.tsx'
import { resource, type Place } from '../resource.ts'

export const jobs: Place = {
  name: 'jobs',
  title: { en: 'Jobs', de: 'Jobs' },
  resources: [
    resource({
      name: 'jobs',
      title: { en: 'Jobs', de: 'Jobs' },
      list: 'listJobs',
      read: 'getJob',
      create: 'submitJob',
      columns: ['type', 'state', 'progress', 'waiting_reason', 'attempt_count', 'created_at', 'id'],
      events: ['job.'],
      stream: 'listJobEvents',
      panel: StepTimeline,
      actions: [
        { by: 'retryJob', in: ['failed', 'cancelled', 'expired'] },
        { by: 'updateJob', in: ['pending', 'retryable'] },
        { by: 'cancelJob', hurts: true, in: ['pending', 'retryable', 'running'] },
        { by: 'getJobResultUrl', in: ['succeeded'] },
      ],
      related: [
        {
          title: { en: 'Attempts', de: 'Versuche' },
          list: 'listJobAttempts',
          columns: ['attempt_no', 'state', 'started_at', 'completed_at', 'error_code'],
        },
        {
          title: { en: 'History', de: 'Verlauf' },
          list: 'listJobEvents',
          columns: ['type', 'occurred_at', 'data'],
        },
      ],
    }),
    resource({
      name: 'queues',
      title: { en: 'Queues', de: 'Warteschlangen' },
      list: 'listJobStats',
      key: ['type'],
      columns: ['type', 'waiting', 'running', 'oldest_waiting_seconds', 'failed_24h', 'paused'],
      events: ['job.', 'job_type.'],
      actions: ['pauseJobType', 'resumeJobType', 'redriveJobs'],
    }),
    resource({
      name: 'types',
      title: { en: 'Types', de: 'Arten' },
      list: 'listJobTypes',
      read: 'getJobType',
      key: ['type'],
      columns: ['type', 'kind', 'queue', 'submittable', 'paused', 'max_attempts'],
      events: ['job_type.'],
      actions: ['pauseJobType', 'resumeJobType', 'registerJobType'],
    }),
    resource({
      name: 'schedules',
      title: { en: 'Schedules', de: 'Zeitpläne' },
      list: 'listJobSchedules',
      read: 'getJobSchedule',
      create: 'putJobSchedule',
      key: ['name'],
      columns: ['name', 'type', 'cron', 'enabled', 'next_run_at', 'last_run_at'],
      events: ['job_schedule.', 'job.'],
      actions: ['putJobSchedule', { by: 'deleteJobSchedule', hurts: true }],
    }),
    resource({
      name: 'rules',
      title: { en: 'Rules', de: 'Regeln' },
      list: 'listJobRules',
      read: 'getJobRule',
      create: 'putJobRule',
      key: ['name'],
      columns: ['name', 'event', 'state', 'runs', 'missed', 'last_run_at'],
      events: ['job_rule.', 'job.'],
      actions: ['putJobRule', { by: 'deleteJobRule', hurts: true }],
    }),
  ],
}
