/** Quotas in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, nullable, oneOf, Time } from '#dodeca/kernel'
import { Decimal } from '../schemas.ts'
import { metrics, type Metric } from './limits.ts'
import { Tags } from './tags.ts'

export const Scope = oneOf('tenant', 'principal', 'tag')
/** An id, or a tag. */
export const ScopeId = Type.String({
  pattern: '^[0-9A-Za-z][0-9A-Za-z:_.-]{0,63}$',
  minLength: 1,
  maxLength: 64,
})

export const QuotaLine = Type.Object(
  {
    scope_type: Scope,
    scope_id: ScopeId,
    metric: oneOf(...metrics),
    limit: Decimal,
    used: Decimal,
    reserved: Decimal,
    resets_at: nullable(Time),
  },
  { title: 'QuotaLine' },
)

const bounds = { minimum: 0, maximum: 2 ** 40 }
const Limit = Type.Optional(Type.Integer(bounds))
const Cost = Type.Optional(Type.Number(bounds))
const limitsShape = Object.fromEntries(
  metrics.map(metric => [metric, metric === 'cost_per_day' ? Cost : Limit]),
) as Record<Exclude<Metric, 'cost_per_day'>, typeof Limit> & { cost_per_day: typeof Cost }

export const SetQuota = closed({ ...limitsShape, tags: Type.Optional(Tags) }, { title: 'SetQuota' })
export type SetQuota = Static<typeof SetQuota>

export const Quota = Type.Object(
  {
    scope_type: Scope,
    scope_id: ScopeId,
    limits: Type.Object(limitsShape),
    tags: Tags,
    version: Type.Integer(),
  },
  { title: 'Quota' },
)
export type Quota = Static<typeof Quota>
