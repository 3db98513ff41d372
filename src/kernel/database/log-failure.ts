/**
 * How loops log a failure that they will retry. While the database is unavailable every loop fails
 * every second: that becomes one line, and then a number (`outage-log.ts`).
 */
import type { Log } from '../observability/log.ts'
import { logOutage } from '../observability/outage-log.ts'
import { isUnavailable } from './failures.ts'

export const no_database = 'the database is not available'

export function logFailure(
  log: Log,
  fields: { readonly err: unknown } & Readonly<Record<string, unknown>>,
  message: string,
): void {
  if (isUnavailable(fields.err)) logOutage(log, fields, no_database)
  else log.warn(fields, message)
}
