/**
 * Activates another index version in one transaction. The other version may be newer, or an earlier
 * one to go back to.
 */
import { Type } from 'typebox'
import { nullable, oneOf, sql, type Tx } from '#dodeca/kernel'
import { announce } from '../events.ts'
import { problem } from '../errors.ts'
import { index_states } from './index-versions.ts'
import { Metrics } from './schemas.ts'

const Wanted = Type.Object({
  state: oneOf(...index_states),
  embedding_profile: Type.String(),
  metrics: nullable(Metrics),
  in_time: Type.Boolean(),
  active: Type.Integer(),
  version: Type.Integer(),
})

/** The caller has locked the collection. */
export async function switchIndex(
  tx: Tx,
  rollback_days: number,
  tenant_id: string,
  collection_id: string,
  to: number,
): Promise<void> {
  const at = sql`tenant_id = ${tenant_id} and collection_id = ${collection_id}`
  const wanted = await tx.maybe(
    Wanted,
    sql`
      select i.state, i.embedding_profile, i.metrics, c.active_index_version as active, c.version,
        coalesce(i.retired_at > kernel.now() - make_interval(days => ${rollback_days}), true)
          as in_time
      from retrieval.index_versions i
      join retrieval.collections c on c.tenant_id = i.tenant_id and c.id = i.collection_id
      where i.tenant_id = ${tenant_id} and i.collection_id = ${collection_id}
        and i.version = ${to}`,
  )
  if (!wanted) throw problem('index_version_not_found')
  const { state, active: from, metrics } = wanted
  if (state === 'active') return
  if (state !== 'ready' && !(state === 'retired' && wanted.in_time)) {
    throw problem('index_version_not_ready', { current_state: state })
  }
  await tx.run(sql`
    update retrieval.index_versions set state = 'retired', retired_at = kernel.now()
    where tenant_id = ${tenant_id} and ${at} and version = ${from}`)
  await tx.run(sql`
    update retrieval.index_versions
    set state = 'active', activated_at = kernel.now(), retired_at = null
    where tenant_id = ${tenant_id} and ${at} and version = ${to}`)
  await tx.run(sql`
    update retrieval.collections set active_index_version = ${to},
      embedding_profile = ${wanted.embedding_profile}, version = version + 1
    where tenant_id = ${tenant_id} and id = ${collection_id}`)
  const type = state === 'retired' ? 'index.rolled_back' : 'index.activated'
  const version = wanted.version + 1
  const of = { tenant_id, aggregate_type: 'collection', id: collection_id, version } as const
  announce(tx, type, of, { collection_id, from, to, metrics })
}
