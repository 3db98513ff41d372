/** A few believable notes; running it again changes nothing. */
import { sql } from '../../../src/kernel/database/sql.ts'
import type { Deps } from './deps.ts'

const tenant_id = '01990000-0000-7000-8000-000000000001'
const owner_id = '01990000-0000-7000-8000-000000000002'
const titles = ['Buy stamps', 'Call the plumber', 'Return the library books']

export async function seed({ kernel }: Pick<Deps, 'kernel'>): Promise<string[]> {
  const made = await kernel.db.run(sql`
    insert into notes.notes (tenant_id, id, owner_id, title)
    select ${tenant_id}, ('01990000-0000-7000-8001-' || lpad(n::text, 12, '0'))::uuid, ${owner_id}, title
    from unnest(${titles}::text[]) with ordinality as t (title, n)
    on conflict do nothing`)
  return made > 0 ? [`${made} notes`] : []
}
