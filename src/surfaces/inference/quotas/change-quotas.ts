/** Limits of a principal, a tag or the tenant: read, set and deleted by an administrator. */
import { Type } from 'typebox'
import { isId, lacks, requireConditions, sql } from '#dodeca/kernel'
import type { Principal, Reader, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { configuredLimits, metrics, type ScopeType } from './limits.ts'
import { Quota, type SetQuota } from './schemas.ts'
import { isTag, keepTags } from './tags.ts'

type Asked = { readonly scope_type: string; readonly scope_id: string }
type ScopeKey = { readonly scope_type: ScopeType; readonly scope_id: string }
type By = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly conditions: Parameters<typeof requireConditions>[0]
}

const Before = Type.Object({ version: Type.Integer() })

export async function findQuota(
  reader: Reader,
  { tenant_id }: Principal,
  asked: Asked,
): Promise<Quota> {
  const { scope_type, scope_id } = keyOf(asked)
  const found = await reader.maybe(
    Quota,
    sql`
      select scope_type, scope_id, limits, tags, version from inference.quota_limits
      where tenant_id = ${tenant_id} and scope_type = ${scope_type} and scope_id = ${scope_id}`,
  )
  if (!found) throw problem('quota_scope_not_found')
  return found
}

export async function changeQuota(
  tx: Tx,
  deps: Deps,
  by: By,
  asked: Asked,
  { tags = [], ...limits }: SetQuota,
): Promise<Quota> {
  const key = keyOf(asked)
  const { scope_type, scope_id } = key
  const tenant_id = await tenantOf(tx, deps, by, key)
  refuseRaised(deps.kernel, by, scope_type, limits)
  if (tags.length > 0 && scope_type !== 'principal') {
    throw problem('validation_failed', {
      detail: 'Only the calls of a principal get tags. Leave `tags` out.',
      errors: [{ location: 'body', pointer: '/tags', constraint: 'principal' }],
    })
  }
  await keepTags(tx, deps, tenant_id, scope_type === 'tag' ? [scope_id] : tags)
  const before = await tx.maybe(
    Before,
    sql`
      select version from inference.quota_limits
      where tenant_id = ${tenant_id} and scope_type = ${scope_type} and scope_id = ${scope_id}
      for update`,
  )
  requireConditions(by.conditions, before?.version ?? null)
  const { version } = await tx.one(
    Before,
    sql`
      insert into inference.quota_limits as l (tenant_id, scope_type, scope_id, limits, tags)
      values (${tenant_id}, ${scope_type}, ${scope_id}, ${sql.json(limits)}::jsonb, ${tags}::text[])
      on conflict (tenant_id, scope_type, scope_id) do update
        set limits = excluded.limits, tags = excluded.tags, version = l.version + 1,
          changed_at = kernel.now()
      returning version`,
  )
  // Another request has created the row since it was looked for.
  if (!before && version > 1) requireConditions(by.conditions, version - 1)
  tx.audit('inference.quotas.put', `${scope_type} ${scope_id}`)
  if (scope_type === 'tag') recount(tx, tenant_id, scope_id)
  return { scope_type, scope_id, limits, tags, version }
}

export async function deleteQuota(tx: Tx, { tenant_id }: Principal, asked: Asked): Promise<void> {
  const { scope_type, scope_id } = keyOf(asked)
  const deleted = await tx.run(sql`
    delete from inference.quota_limits
    where tenant_id = ${tenant_id} and scope_type = ${scope_type} and scope_id = ${scope_id}`)
  if (deleted === 0) return
  tx.audit('inference.quotas.delete', `${scope_type} ${scope_id}`)
  if (scope_type === 'tag') recount(tx, tenant_id, scope_id)
}

/** Its counters are made from its rows, or deleted with its limits. Sent with COMMIT: it locks. */
function recount(tx: Tx, tenant_id: string, tag: string): void {
  tx.atCommit(sql`select inference.recount_tag(${tenant_id}, ${tag})`)
}

function keyOf({ scope_type, scope_id }: Asked): ScopeKey {
  const is_tag = scope_type === 'tag'
  if (is_tag ? !isTag(scope_id) : !isId(scope_id)) throw problem('quota_scope_not_found')
  return { scope_type: scope_type as ScopeType, scope_id: scope_id.toLowerCase() }
}

/** The tenant whose limits the caller may set. */
async function tenantOf(
  tx: Tx,
  { people }: Deps,
  { principal, grants }: By,
  { scope_type, scope_id }: ScopeKey,
): Promise<string> {
  const { tenant_id } = principal
  if (scope_type === 'tag') return tenant_id
  if (scope_type === 'tenant') {
    if (scope_id === tenant_id || grants.has('inference.platform.write')) return scope_id
    throw problem('quota_scope_not_found')
  }
  const is_known =
    (await people.membersOf(tx, tenant_id, [scope_id])).has(scope_id) ||
    (await people.ownerOf(tx, tenant_id, scope_id)) !== null
  if (!is_known) throw problem('quota_scope_not_found')
  return tenant_id
}

function refuseRaised(
  kernel: Deps['kernel'],
  { grants }: By,
  scope_type: ScopeType,
  limits: Omit<SetQuota, 'tags'>,
): void {
  if (scope_type !== 'tenant' || grants.has('inference.platform.write')) return
  const { tenant } = configuredLimits(kernel)
  const raised = metrics.filter(metric => (limits[metric] ?? 0) > tenant[metric])
  if (raised.length === 0) return
  const of_platform = `Only the platform operator raises ${raised.join(', ')} of a tenant above the platform's.`
  throw lacks('inference.platform.write', of_platform)
}
