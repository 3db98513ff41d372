/**
 * Contents that no tenant may store, by their SHA-256. The operator of the platform blocks them.
 * Files with such content go through all stages again, and end in quarantine.
 */
import { Type, type Static } from 'typebox'
import { dueNow, sql, Time, type Db, type Reader, type Sql } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'

const Blocked = Type.Object({
  sha256: Type.String(),
  reason: Type.String(),
  created_by: Type.String(),
  created_at: Time,
})
export type BlockedHash = Static<typeof Blocked>

export async function isBlocked(reader: Reader, sha256: Buffer): Promise<boolean> {
  const found = await reader.maybe(
    Type.Object({ sha256: Bytes }),
    sql`select sha256 from uploads.blocked_hashes where sha256 = ${sha256}`,
  )
  return found !== undefined
}

/**
 * The key of an advisory lock on a content. The transaction that adds a file holds it shared, so a
 * block waits for the file and finds it, or is committed before the file is detected.
 */
export function contentLock(sha256: Buffer): Sql {
  return sql`hashtextextended(${`uploads.content ${sha256.toString('hex')}`}, 0)`
}

/**
 * Returns how many files will be inspected again: those that are available, and those that had
 * passed the check before and are still processed.
 */
export async function blockHash(
  db: Db,
  sha256: Buffer,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): Promise<number> {
  return await db.tx(async tx => {
    await tx.run(sql`select pg_advisory_xact_lock(${contentLock(sha256)})`)
    await tx.run(sql`
      insert into uploads.blocked_hashes (sha256, reason, created_by)
      values (${sha256}, ${reason}, ${actor})
      on conflict (sha256) do update set reason = excluded.reason`)
    const count = await tx.run(sql`
      -- any tenant: the operator blocks it for all
      with held as materialized (
        select tenant_id, id from uploads.files
        where sha256 = ${sha256} and state in ('available', 'uploaded')
        order by id for no key update
      )
      update uploads.files f set stage = 'detect', ${dueNow()}
      from held where f.tenant_id = held.tenant_id and f.id = held.id`)
    tx.audit('uploads.hashes.block', `sha256:${sha256.toString('hex')}`, {
      by: { tenant_id: null, id: actor },
      reason,
    })
    tx.wake('uploads.process')
    return count
  })
}

/**
 * Returns false if the content is not blocked. A file in quarantine stays there until it is scanned
 * again.
 */
export async function unblockHash(db: Db, sha256: Buffer, actor: string): Promise<boolean> {
  return await db.tx(async tx => {
    const count = await tx.run(sql`
      delete from uploads.blocked_hashes where sha256 = ${sha256}`)
    if (count === 0) return false
    tx.audit('uploads.hashes.unblock', `sha256:${sha256.toString('hex')}`, {
      by: { tenant_id: null, id: actor },
    })
    return true
  })
}

export async function blockedHashes(reader: Reader): Promise<BlockedHash[]> {
  return await reader.many(
    Blocked,
    sql`
      select encode(sha256, 'hex') as sha256, reason, created_by, created_at
      from uploads.blocked_hashes order by created_at desc limit 1000`,
  )
}
