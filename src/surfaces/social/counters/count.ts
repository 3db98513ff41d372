/**
 * Each change of a counter is written as its own row, so that a popular post has no row for which
 * all writers wait.
 */
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import { topics } from '../deps.ts'

/** Inserts into `social.counter_deltas`, from rows with these values. */
export const delta_columns = sql`(tenant_id, subject_type, subject_id, kind, delta)`

export type Delta = {
  readonly subject_type: 'post' | 'user'
  readonly subject_id: string
  readonly kind: 'likes' | 'comments' | 'followers' | 'following' | 'posts'
  readonly delta: number
}

export async function count(tx: Tx, tenant_id: string, deltas: readonly Delta[]): Promise<void> {
  if (deltas.length === 0) return
  await tx.run(sql`
    insert into social.counter_deltas ${delta_columns}
    select ${tenant_id}, d.subject_type, d.subject_id, d.kind, d.delta
    from ${deltaTable(deltas)} d`)
  tx.wake(topics.counters)
}

function deltaTable(deltas: readonly Delta[]): Sql {
  return sql.table(deltas, {
    subject_type: 'text',
    subject_id: 'uuid',
    kind: 'text',
    delta: 'int8',
  })
}

/** A follow that became active or stopped being active. */
export function followDeltas(
  { follower_id, followed_id }: { follower_id: string; followed_id: string },
  delta: 1 | -1,
): Delta[] {
  return [
    { subject_type: 'user', subject_id: followed_id, kind: 'followers', delta },
    { subject_type: 'user', subject_id: follower_id, kind: 'following', delta },
  ]
}
