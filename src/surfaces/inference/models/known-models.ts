/**
 * A cache of the deployments behind a name. A change of a model clears the cache in every
 * process. If that notification is lost, an entry still expires after ten seconds.
 */
import { Type, type Static } from 'typebox'
import { isId, nil_id as platform_tenant, nullable, sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export const models_topic = 'inference.models'

const Found = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  provider: Type.String(),
  model_name: Type.String(),
  capability: Type.Array(Type.String()),
  state: Type.String(),
  max_context: Type.Integer(),
  max_output: Type.Integer(),
  /** Whether the provider is the tenant's own, and not one of the platform. */
  own_provider: Type.Boolean(),
  own: nullable(Type.Object({ mark: Type.String(), sealed: Type.String() })),
  /** Whether a model there may call operations: not at a tenant's own, unless the operator says so. */
  runs_tools: Type.Boolean(),
})
export type Candidate = Static<typeof Found>

type Known = { readonly found: readonly Candidate[]; readonly read_ms: number }

const kept_ms = 10_000
const known_max = 1000

export class KnownModels {
  private readonly db: Kernel['db']
  private readonly known = new Map<string, Known>()
  private readonly stopListening: () => void
  /** Rows that were read before a change are not cached after it. */
  private changes = 0

  constructor({ db, onWake }: Pick<Kernel, 'db' | 'onWake'>) {
    this.db = db
    this.stopListening = onWake(() => this.forget(), [models_topic])
  }

  /** In the order in which they are tried, in any state. */
  async find(tenant_id: string, model: string): Promise<readonly Candidate[]> {
    const name = `${tenant_id} ${model}`
    const known = this.known.get(name)
    if (known && performance.now() - known.read_ms < kept_ms) return known.found
    const { changes } = this
    const read_ms = performance.now()
    const found = await this.read(tenant_id, model)
    if (found.length > 0 && changes === this.changes) {
      if (this.known.size >= known_max) this.known.clear()
      this.known.set(name, { found, read_ms })
    }
    return found
  }

  forget(): void {
    this.changes++
    this.known.clear()
  }

  close(): void {
    this.stopListening()
  }

  private async read(tenant_id: string, model: string): Promise<Candidate[]> {
    return await this.db.many(
      Found,
      sql`
        with named as (
          select a.tenant_id, a.deployment_id, a.priority, a.weight
          from inference.model_aliases a
          where a.alias = ${model} and a.tenant_id = (
            select o.tenant_id from inference.model_aliases o
            where o.alias = ${model} and o.tenant_id in (${tenant_id}, ${platform_tenant})
            order by o.tenant_id desc limit 1)
          union all
          select d.tenant_id, d.id, 0, 0 from inference.model_deployments d
          where d.id = ${isId(model) ? model : null}::uuid
            and d.tenant_id in (${tenant_id}, ${platform_tenant}))
        select d.tenant_id, d.id, d.provider, d.model_name, d.capability, d.state, d.max_context,
          d.max_output, d.own_provider,
          case when p.id is not null then jsonb_build_object('mark', p.id || ' ' || p.version,
            'sealed', encode(p.sealed, 'base64')) end as own,
          not d.own_provider or coalesce(p.tools, false) as runs_tools
        from named n
        join inference.model_deployments d
          on d.tenant_id = n.tenant_id and d.id = n.deployment_id
        left join inference.providers p on d.own_provider and p.tenant_id = d.tenant_id
          and p.name = d.provider and p.state = 'active'
        order by n.priority, n.weight desc, d.id`,
    )
  }
}
