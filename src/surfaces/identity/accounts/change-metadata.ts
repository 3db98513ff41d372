/**
 * Changes the metadata of an account: what administrators and their programs store about a person, who
 * sees it and cannot change it. It may decide about rights in other applications, so it is recorded.
 */
import { Type } from 'typebox'
import { expectVersion, sql, Version, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { changed, Fields } from '../profiles/profile.ts'
import { announceChanged } from './announce-changed.ts'

const Row = Type.Object({ metadata: Fields, version: Version })

export type MetadataChange = {
  readonly tenant_id: string
  readonly id: string
  /** A merge patch; null removes everything. */
  readonly metadata: Fields | null
  readonly if_match?: string | string[] | undefined
}

export async function changeMetadata(
  tx: Tx,
  { tenant_id, id, metadata: patch, if_match }: MetadataChange,
  actor: string,
): Promise<void> {
  const before = await tx.maybe(
    Row,
    sql`
      select metadata, version from identity.accounts
      where tenant_id = ${tenant_id} and id = ${id} and status <> 'deleted' for update`,
  )
  if (!before) throw problem('account_not_found')
  expectVersion(if_match, before.version)
  const metadata = changed(before.metadata, patch, '/metadata')
  const after = await tx.maybe(
    Type.Object({ version: Version }),
    sql`
      update identity.accounts set metadata = ${sql.json(metadata)}::jsonb, version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and metadata <> ${sql.json(metadata)}::jsonb
      returning version`,
  )
  if (!after) return
  announceChanged(tx, { id, tenant_id, version: after.version })
  tx.audit('identity.accounts.update', id, { by: { tenant_id, id: actor } })
}
