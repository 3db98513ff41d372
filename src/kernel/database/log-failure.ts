/**
 * Logs a failure that a loop will retry. While the database is unavailable every loop fails every
 * second. Those failures become one line and later a count (`outage-log.ts`).
 */
import type { Log } from '../observability/log.ts'
import { logOutage } from '../observability/outage-log.ts'
import { isUnavailable } from './failures.ts'

export const no_database = 'the database is not available'

export function logFailure(
  log: Log,
  fields: { readonly err: unknown } & Readonly<Record<string, unknown>>,
  message: string,
  level: 'warn' | 'error' = 'warn',
): void {
  if (isUnavailable(fields.err)) logOutage(log, fields, no_database)
  else log[level](fields, message)
}
