/**
 * Writes the owner of an API key before the first call of the key is reserved, because its calls
 * count on the quota of that account too. Owners never change, so a process asks once for each
 * principal.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const known_max = 10_000
const known_by = new WeakMap<object, Set<string>>()

export async function countOnOwner(
  tx: Tx,
  { kernel, people }: Pick<Deps, 'kernel' | 'people'>,
  tenant_id: string,
  principal_id: string,
): Promise<void> {
  const known = known_by.get(kernel) ?? new Set()
  known_by.set(kernel, known)
  const name = `${tenant_id} ${principal_id}`
  if (known.has(name)) return
  const account_id = await people.ownerOf(tx, tenant_id, principal_id)
  if (account_id !== null) {
    await tx.run(sql`
      insert into inference.key_owners (tenant_id, key_id, account_id)
      values (${tenant_id}, ${principal_id}, ${account_id})
      on conflict do nothing`)
  }
  tx.afterCommit(() => {
    if (known.size >= known_max) known.clear()
    known.add(name)
  })
}
