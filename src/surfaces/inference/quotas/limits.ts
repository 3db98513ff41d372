/** The limits of the settings, as arguments of the SQL functions of the quota. */
import { sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export const metrics = [
  'requests_per_minute',
  'tokens_per_minute',
  'tokens_per_day',
  'cost_per_day',
  'operations',
  'streams',
] as const
export type Metric = (typeof metrics)[number]
export type ScopeType = 'tenant' | 'principal' | 'tag'

/** The description of a metric for callers. */
export const short_names: Readonly<Record<string, 'requests' | 'tokens' | 'cost' | 'concurrency'>> =
  {
    requests_per_minute: 'requests',
    tokens_per_minute: 'tokens',
    tokens_per_day: 'tokens',
    cost_per_day: 'cost',
    operations: 'concurrency',
    streams: 'concurrency',
  }

/** Tags have limits only where an administrator sets them. */
export type Limits = Readonly<Record<Exclude<ScopeType, 'tag'>, Readonly<Record<Metric, number>>>>

export function configuredLimits({ settings }: Pick<Kernel, 'settings'>): Limits {
  const of = (scope: keyof Limits) =>
    Object.fromEntries(
      metrics.map(metric => [metric, settings[`inference.quota_${scope}_${metric}`]]),
    ) as Record<Metric, number>
  return { tenant: of('tenant'), principal: of('principal') }
}

const arguments_of = new WeakMap<object, string>()

/** The same as JSON, made once, because every call sends it. */
export function limitsArgument(kernel: Pick<Kernel, 'settings'>): string {
  const known = arguments_of.get(kernel) ?? sql.json(configuredLimits(kernel))
  arguments_of.set(kernel, known)
  return known
}
