/** The identities at providers through which somebody can log in, newest first. */
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { ListScope } from '../../../kernel/http/cursor.ts'
import { page } from '../../../kernel/http/shapes.ts'
import type { Kernel } from '../settings.ts'
import { ExternalIdentity, identityColumns } from './store-identity.ts'

export const ExternalIdentityPage = page(ExternalIdentity)

export async function listIdentities(
  reader: Reader,
  { cursors }: Pick<Kernel, 'cursors'>,
  list: ListScope,
  account_id: string,
) {
  const { after, fetch } = cursors.start(list)
  const rows = await reader.many(
    ExternalIdentity,
    sql`
      select ${identityColumns} from identity.external_identities
      where account_id = ${account_id} and unlinked_at is null
        and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null}::uuid)
      order by id desc
      limit ${fetch}`,
  )
  return cursors.page(list, rows, row => [row.id])
}
