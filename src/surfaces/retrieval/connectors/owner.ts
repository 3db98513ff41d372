/**
 * The creator of a connector, who must be active and manage its collection whenever the connector
 * adds documents. If that is over, the connector stops.
 */
import { Type } from 'typebox'
import { Problem, sql, type Reader, type Tx } from '#dodeca/kernel'
import { callerOf, type Caller } from '../access/principals.ts'
import { requireRight } from '../collections/find-collection.ts'
import type { Deps } from '../deps.ts'
import { announce } from '../events.ts'

type Owned = {
  readonly id: string
  readonly collection_id: string
  readonly created_by: string
  /** The narrow session in which it was created. */
  readonly session_id: string | null
}

export async function ownerManages(
  reader: Reader,
  deps: Pick<Deps, 'people'>,
  tenant_id: string,
  { collection_id, created_by, session_id }: Omit<Owned, 'id'>,
): Promise<boolean> {
  if (session_id !== null) {
    const holder = { tenant_id, principal_id: created_by, session_id }
    const [held] = await deps.people.grantsOf(reader, [holder])
    if (!held?.has('retrieval.collections.use')) return false
  }
  try {
    const owner = await ownerOf(reader, deps, tenant_id, created_by)
    await requireRight(reader, owner, collection_id, 'manage')
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** An account, or an API key: the row of a connector has only the id. */
async function ownerOf(
  reader: Reader,
  deps: Pick<Deps, 'people'>,
  tenant_id: string,
  id: string,
): Promise<Caller> {
  const asker = { id, tenant_id, session_id: null }
  const account = await callerOf(reader, deps, { ...asker, kind: 'account' })
  if (account.names.length > 0) return account
  return await callerOf(reader, deps, { ...asker, kind: 'service' })
}

const Versioned = Type.Object({ version: Type.Integer() })

export async function stopConnector(
  tx: Tx,
  tenant_id: string,
  { id, collection_id }: Pick<Owned, 'id' | 'collection_id'>,
  state: 'error' | 'paused',
  reason: string,
): Promise<void> {
  const stopped = await tx.maybe(
    Versioned,
    sql`
      update retrieval.connectors set state = ${state}, error_code = ${reason}, due_at = null,
        version = version + 1
      where tenant_id = ${tenant_id} and id = ${id} and state = 'active' returning version`,
  )
  if (!stopped) return
  const of = { tenant_id, aggregate_type: 'connector', id, ...stopped } as const
  announce(tx, 'connector.paused', of, { connector_id: id, collection_id, reason })
}

/** Why a document was not added although nothing failed: the others of the source still are. */
const skipped = [
  'collection_not_found',
  'document_not_found',
  'quota_exceeded',
  'too_many_access_lists',
]

/**
 * The code of a problem of one document that must not stop the others: another document has its
 * name, or the collection is full. Nothing was written then. Other errors are thrown.
 */
export function skippedBy(error: unknown): string {
  if (error instanceof Problem && skipped.includes(error.code)) return error.code
  throw error
}
