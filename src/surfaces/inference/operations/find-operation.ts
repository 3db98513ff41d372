/** Finds an operation that the caller may see: their own, or any of the tenant with the permission for it. */
import { isId, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { readOperation, type OperationRow } from './read-operation.ts'

export async function findOperation(
  reader: Reader,
  { id: actor_id, tenant_id }: Pick<Principal, 'id' | 'tenant_id'>,
  id: string,
  grants?: ReadonlySet<string>,
): Promise<OperationRow> {
  const row = isId(id) ? await readOperation(reader, { tenant_id, id }) : undefined
  if (!row || (row.actor_id !== actor_id && !mayReadAny(grants))) {
    throw problem('inference_not_found')
  }
  return row
}

function mayReadAny(grants: ReadonlySet<string> | undefined): boolean {
  return grants?.has('inference.operations.read_any') ?? false
}
