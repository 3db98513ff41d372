/**
 * Names with which a caller of other APIs restricts what happens. Where an operation does not know
 * such a name, it refuses the request: to ignore the name would do more than the caller asked for.
 */
import type { Refuses } from './known-fields.ts'

export const restricting_members: Refuses = noReplacement(`
  expires expires_at expires_in expires_on expiry expiration expiration_date ttl ttl_seconds
  valid_from valid_to valid_until not_before not_after starts_at ends_at until deadline
  publish_at send_at deliver_at scheduled_at scheduled_for run_at delay delay_seconds
  timeout timeout_seconds timeout_ms max_uses max_redemptions usage_limit max_output_tokens
  active enabled disabled read_only readonly dry_run
  private is_private privacy visibility visible_to audience hidden unlisted`)

export const narrowing_parameters: Refuses = noReplacement(`
  account account_id account_ids user user_id owner owner_id customer customer_id tenant tenant_id
  status state type since until from to start end after before start_date end_date created_after
  created_before filter query search expires expires_in expires_at dry_run keep_current`)

function noReplacement(names: string): Refuses {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map(name => [name, null]),
  )
}
