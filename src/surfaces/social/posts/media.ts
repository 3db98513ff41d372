/**
 * Files of posts and profiles. They must be the caller's own uploads. This file also decides who
 * may read them later.
 */
import { Type } from 'typebox'
import { Problem, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { blockedBetween, knowable, visible } from '../may-see.ts'

/**
 * The same error for all reasons, so that the error does not reveal whether another person's file
 * exists.
 */
export async function requireMedia(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  person: Person,
  file_ids: readonly string[],
  purpose: 'post_media' | 'avatar',
): Promise<void> {
  for (const file_id of file_ids.toSorted()) {
    try {
      await files.requireAvailable(tx, person, file_id, [purpose])
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error
      throw problem('media_not_available', {
        detail: `Upload each file for ${purpose} first, and wait until it is available.`,
      })
    }
  }
}

const File = Type.Object({ file_id: Type.String() })

/**
 * A viewer who may see a post may see its files. The picture of a profile is visible to everyone
 * whom the person does not block.
 */
export function plugMedia({ files }: Pick<Deps, 'files'>): void {
  const viewerOf = ({ tenant_id, id }: Principal): Person => ({ tenant_id, id })
  const found = (rows: readonly { file_id: string }[]) => new Set(rows.map(row => row.file_id))
  files.plugReaders('post_media', async (reader, principal, file_ids) => {
    const viewer = viewerOf(principal)
    if (principal.kind !== 'account') return new Set()
    return found(
      await reader.many(
        File,
        sql`
          select distinct m.object_id as file_id from social.post_media m
          join social.posts p on p.tenant_id = m.tenant_id and p.id = m.post_id
          join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
          where m.tenant_id = ${viewer.tenant_id} and m.object_id = any(${[...file_ids]}::uuid[])
            and ${visible(viewer)}`,
      ),
    )
  })
  files.plugReaders('avatar', async (reader, principal, file_ids) => {
    const viewer = viewerOf(principal)
    if (principal.kind !== 'account') return new Set()
    return found(
      await reader.many(
        File,
        sql`
          select u.avatar_file_id as file_id from social.users u
          where u.tenant_id = ${viewer.tenant_id}
            and u.avatar_file_id = any(${[...file_ids]}::uuid[])
            and ${knowable(viewer)} and not ${blockedBetween(viewer, sql`u.id`)}`,
      ),
    )
  })
}
