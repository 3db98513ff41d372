/**
 * The entity tag of a job. Its version alone is not enough: while the job waits or runs, its
 * progress and its reason for waiting change without a new version. So until the job ends, the tag
 * also contains its progress. If-Match compares only the version in the tag.
 */
import { hash } from 'node:crypto'
import { etag, expectedVersions, type Conditions } from '../../../kernel/http/etag.ts'
import type { RequestFacts } from '../../../kernel/http/route.ts'
import { isTerminal, type JobView } from '../schemas.ts'

export function tagOf(job: JobView): string {
  if (isTerminal(job.state)) return etag(job.version)
  const { waiting_reason, next_attempt_at, progress, depends_on } = job
  const moving = JSON.stringify([waiting_reason, next_attempt_at, progress?.sequence, depends_on])
  return `"${job.version}-${hash('sha256', moving, 'base64url').slice(0, 8)}"`
}

export function versionsOf(if_match: string | string[] | undefined): number[] | null {
  return expectedVersions(bare(if_match))
}

export function conditionsOf(headers: RequestFacts['headers']): Conditions {
  return { if_match: bare(headers['if-match']), if_none_match: bare(headers['if-none-match']) }
}

/** Removes everything except the version from the tags. */
function bare(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(',') : header
  return text?.replaceAll(/"(\d+)-[\w-]{8}"/g, '"$1"')
}
