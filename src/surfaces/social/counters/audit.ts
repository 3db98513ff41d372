/**
 * Compares counters with a count of the rows. A repair is an ordinary change that adds the
 * difference. The difference is computed within one snapshot and includes changes that are not
 * folded yet. So the repair is correct with concurrent writes.
 */
import { Gauge } from 'prom-client'
import { Type } from 'typebox'
import { sql, type Db, type Loop, type Projection, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { delta_columns } from './count.ts'
import { fold } from './fold.ts'

const sample = 1000
const day_ms = 86_400_000

const Wrong = Type.Object({ wrong: Type.Integer(), drift: Type.Integer() })
export type Wrong = { readonly wrong: number; readonly drift: number }

export function auditLoop({ kernel: { db, metrics } }: Pick<Deps, 'kernel'>): Loop {
  const drift = new Gauge({
    name: 'social_counter_drift',
    help: 'Sum of differences that the last audit of counters repaired',
    registers: [metrics.registry],
  })
  return {
    name: 'social.counter_audit',
    every_ms: day_ms,
    run: async () => {
      const found = await repair(
        db,
        sql`
        -- any tenant: a sample of all
        select c.tenant_id, c.subject_type, c.subject_id, c.kind
        from social.counter_projections c order by random() limit ${sample}`,
      )
      drift.set(found.drift)
    },
  }
}

/**
 * Counts these subjects again. `subjects` returns their keys. One repair runs at a time: two that
 * find the same difference would both add it.
 */
async function repair(db: Pick<Db, 'tx'>, subjects: Sql): Promise<Wrong> {
  return await db.tx(async tx => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtext('social.counter_audit'))`)
    return await recount(tx, subjects)
  })
}

async function recount(tx: Tx, subjects: Sql): Promise<Wrong> {
  return await tx.one(
    Wrong,
    sql`
      with subjects as materialized (${subjects}), facts as materialized (
        select s.tenant_id, s.subject_type, s.subject_id, s.kind, case s.kind
          when 'likes' then (select count(*) from social.likes l
            where l.tenant_id = s.tenant_id and l.post_id = s.subject_id)
          when 'comments' then (select count(*) from social.comments m
            where m.tenant_id = s.tenant_id and m.post_id = s.subject_id and m.deleted_at is null
              and m.moderation_state = 'none')
          when 'followers' then (select count(*) from social.follows f
            where f.tenant_id = s.tenant_id and f.followed_id = s.subject_id and f.state = 'active')
          when 'following' then (select count(*) from social.follows f
            where f.tenant_id = s.tenant_id and f.follower_id = s.subject_id and f.state = 'active')
          else (select count(*) from social.posts p
            where p.tenant_id = s.tenant_id and p.author_id = s.subject_id
              and p.deleted_at is null) end
          - coalesce((select c.value from social.counter_projections c
            where c.tenant_id = s.tenant_id and c.subject_type = s.subject_type
              and c.subject_id = s.subject_id and c.kind = s.kind), 0)
          - coalesce(d.pending, 0) as delta
        from subjects s
        left join (
          select tenant_id, subject_type, subject_id, kind, sum(delta) as pending
          from social.counter_deltas group by tenant_id, subject_type, subject_id, kind) d
          using (tenant_id, subject_type, subject_id, kind)
      ), repaired as (
        insert into social.counter_deltas ${delta_columns}
        select tenant_id, subject_type, subject_id, kind, delta from facts where delta <> 0
      )
      select count(*) filter (where delta <> 0)::int as wrong,
        coalesce(sum(abs(delta)), 0)::int as drift from facts`,
  )
}

/** `dodeca rebuild social.counters` recounts everything. */
export function counterProjection({ kernel: { db } }: Pick<Deps, 'kernel'>): Projection {
  return {
    name: 'social.counters',
    freshness_ms: 2000,
    rebuild: async (progress, signal) => {
      const all = [
        sql`
          -- any tenant: all posts
          select p.tenant_id, 'post' as subject_type, p.id as subject_id, k.kind
          from social.posts p, unnest('{likes,comments}'::text[]) k (kind)
          where p.deleted_at is null`,
        sql`
          -- any tenant: all people
          select u.tenant_id, 'user' as subject_type, u.id as subject_id, k.kind
          from social.users u, unnest('{followers,following,posts}'::text[]) k (kind)`,
      ]
      for (const [at, subjects] of all.entries()) {
        signal.throwIfAborted()
        await repair(db, subjects)
        progress(at + 1, all.length + 1)
      }
      while ((await fold(db)) > 0) signal.throwIfAborted()
      progress(all.length + 1, all.length + 1)
    },
  }
}
