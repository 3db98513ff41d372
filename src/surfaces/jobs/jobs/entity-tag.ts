/**
 * The entity tag of a job. Its version alone is not enough: while the job waits or runs, its
 * progress and its reason for waiting change without a new version. So until the job ends, the tag
 * also contains its progress.
 */
import { etag, viewTag } from '#dodeca/kernel'
import { isTerminal, type JobView } from '../schemas.ts'

export function tagOf(job: JobView): string {
  if (isTerminal(job.state)) return etag(job.version)
  const { waiting_reason, next_attempt_at, progress, depends_on } = job
  return viewTag(job.version, [waiting_reason, next_attempt_at, progress?.sequence, depends_on])
}
