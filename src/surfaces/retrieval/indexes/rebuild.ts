/**
 * `dodeca rebuild retrieval.indexes` writes every index again from the rows, as a new index version
 * beside the active one, and then activates it. Documents that change meanwhile are written to
 * both.
 */
import { Type } from 'typebox'
import { newId, sql, type Projection } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { countServed, fillIndex } from './fill-index.ts'
import { liveVersions, type IndexVersion } from './index-versions.ts'
import { switchIndex } from './switch-index.ts'

type Needed = Pick<Deps, 'kernel' | 'index' | 'profiles' | 'jobs'>
const Place = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const Next = Type.Object({ version: Type.Integer() })

export function indexProjection(deps: Needed): Projection {
  const { db } = deps.kernel
  return {
    name: 'retrieval.indexes',
    freshness_ms: 2000,
    rebuild: async (progress, signal) => {
      const places = await db.many(
        Place,
        sql`
          -- any tenant: the operator rebuilds all of them
          select tenant_id, id from retrieval.collections where state = 'active' order by id`,
      )
      const targets = []
      for (const { tenant_id, id } of places) targets.push(await beginVersion(deps, tenant_id, id))
      const found = targets.filter(one => one !== undefined)
      const counts = await Promise.all(found.map(one => countServed(deps, one)))
      const total = counts.reduce((sum, n) => sum + n, 0)
      let done = 0
      const report = (_after: number, many: number) => {
        done += many
        progress(done, total)
        return Promise.resolve()
      }
      for (const target of found) {
        try {
          await fillIndex(deps, target, -1, signal, report)
          await finishVersion(deps, target)
        } catch (error) {
          await failVersion(deps, target)
          throw error
        }
      }
      progress(done, Math.max(done, total))
    },
  }
}

/**
 * Undefined if a reindex of the collection is running, because that writes everything again too.
 */
async function beginVersion(
  { kernel: { db } }: Needed,
  tenant_id: string,
  collection_id: string,
): Promise<IndexVersion | undefined> {
  const version = await db.tx(async tx => {
    await tx.run(sql`
      select from retrieval.collections
      where tenant_id = ${tenant_id} and id = ${collection_id} for update`)
    const live = await liveVersions(tx, tenant_id, collection_id)
    const active = live.find(one => one.state === 'active')
    if (!active || live.some(one => one.state === 'building')) return undefined
    return await tx.one(
      Next,
      sql`
        insert into retrieval.index_versions
          (tenant_id, collection_id, version, embedding_profile, table_id, state)
        select ${tenant_id}, ${collection_id}, max(version) + 1, ${active.embedding_profile},
          ${newId()}, 'building'
        from retrieval.index_versions
        where tenant_id = ${tenant_id} and collection_id = ${collection_id} returning version`,
    )
  })
  const live = await liveVersions(db, tenant_id, collection_id)
  return live.find(one => one.version === version?.version)
}

async function finishVersion({ kernel: { db, settings } }: Needed, target: IndexVersion) {
  const { tenant_id, collection_id, version } = target
  await db.tx(async tx => {
    await tx.run(sql`
      select from retrieval.collections
      where tenant_id = ${tenant_id} and id = ${collection_id} for update`)
    await tx.run(sql`
      update retrieval.index_versions set state = 'ready'
      where tenant_id = ${tenant_id} and collection_id = ${collection_id}
        and version = ${version} and state = 'building'`)
    const days = settings['retrieval.rollback_days']
    await switchIndex(tx, days, tenant_id, collection_id, version)
  })
}

async function failVersion({ kernel: { db } }: Needed, target: IndexVersion): Promise<void> {
  const { tenant_id, collection_id, version } = target
  await db.run(sql`
    update retrieval.index_versions set state = 'failed'
    where tenant_id = ${tenant_id} and collection_id = ${collection_id} and version = ${version}
      and state = 'building'`)
}
