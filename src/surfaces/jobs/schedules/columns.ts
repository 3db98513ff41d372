/** The columns of a schedule as everybody sees it. */
import { sql } from '../../../kernel/database/sql.ts'

export const scheduleColumns = sql`
  id, name, type, schema_version, parameters, cron, timezone, enabled, catch_up, overlap, priority,
  next_run_at, last_run_at, last_job_id, last_error_code, paused_reason, paused_at, version, created_at, updated_at`
