/**
 * Deletes a link. Its row stays forever as a tombstone, so that a printed code never leads
 * elsewhere.
 */
import { Type, type Static } from 'typebox'
import { hasVersion, Id, preconditionFailed, sql, Version } from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { unscanned } from '../destinations/scan-links.ts'
import { problem } from '../errors.ts'
import { State } from '../schemas.ts'
import { announce } from './announce.ts'
import { spellings } from './codes.ts'
import type { LinkDomain } from './link-row.ts'

const Deleted = Type.Object({ id: Id, domain_id: Id, code: Type.String(), version: Version })
const Found = Type.Object({ state: State, version: Version })
const Target = Type.Object({ domain_id: Id, code: Type.String() })

export async function deleteLink(
  tx: Tx,
  { changes }: Pick<Deps, 'changes'>,
  { tenant_id, id: owner_id }: Principal,
  { domain, code }: { readonly domain: LinkDomain; readonly code: string },
  versions: readonly number[] | null,
): Promise<void> {
  const own = sql`tenant_id = ${tenant_id} and owner_id = ${owner_id} and domain_id = ${domain.id}`
  const target = await tx.maybe(
    Target,
    sql`
      select domain_id, code from links.links
      where ${own} and code = any(${spellings(code)}::text[])
      order by code = ${code} desc
      limit 1`,
  )
  if (!target) throw problem('link_not_found')
  const gone = await tx.maybe(
    Deleted,
    sql`
      update links.links
      set state = 'deleted', disabled_by = null, title = null, ${unscanned},
        version = version + 1, updated_at = kernel.now()
      where ${own} and code = ${target.code} and state <> 'deleted'
        and ${hasVersion(versions)}
      returning id, domain_id, code, version`,
  )
  if (!gone && versions) await demandDeleted(tx, tenant_id, target)
  if (gone) announce(tx, { tenant_id, ...gone }, gone.version, [{ type: 'link.deleted' }])
  // A repeated request publishes the change too, because the first one may have failed between its
  // commit and its wait.
  await changes.changed(tx, [target])
}

/** If the link is already deleted, the request succeeds with any version. */
async function demandDeleted(
  tx: Tx,
  tenant_id: string,
  { domain_id, code }: Static<typeof Target>,
): Promise<void> {
  const { state, version } = await tx.one(
    Found,
    sql`
      select state, version from links.links
      where tenant_id = ${tenant_id} and domain_id = ${domain_id} and code = ${code}`,
  )
  if (state !== 'deleted') throw preconditionFailed(version)
}
