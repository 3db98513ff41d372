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

const Limit = Type.Integer({ minimum: 0, maximum: 2 ** 40 })
const limitsShape = Object.fromEntries(
  metrics.map(metric => [metric, Type.Optional(Limit)]),
) as Record<Metric, ReturnType<typeof Type.Optional<typeof Limit>>>

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
