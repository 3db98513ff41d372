/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const schedulesReference: Reference['members'] = {
  ...ofNoun('JobSchedule', {
    name: 'The name of the schedule.',
    next_run_at: 'When the next job is due.',
    last_run_at: 'When it last made a job.',
    last_job_id: 'The job that it made last.',
    last_error_code: 'Why the last due run made no job.',
    paused_reason:
      '`owner_revoked`: its owner may no longer schedule its type. Replace it to resume it.',
    paused_at: 'When it was paused.',
  }),
  ...ofNoun('JobSchedule PutJobSchedule', {
    enabled: 'Whether it makes jobs.',
    catch_up: 'Which missed runs are made up for: none, the latest, or all up to 100.',
    overlap: 'Whether a run begins while the one before it still runs.',
  }),
}
