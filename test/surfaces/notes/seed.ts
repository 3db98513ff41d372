/** A few believable notes of a member of each demo tenant; running it again changes nothing. */
import { sql, type DemoTenant } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const titles = ['Buy stamps', 'Call the plumber', 'Return the library books']

export async function seed(
  { kernel }: Pick<Deps, 'kernel'>,
  tenants: readonly DemoTenant[],
): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, member } of tenants) {
    const notes = await kernel.db.run(sql`
      insert into notes.notes (tenant_id, id, owner_id, title)
      select ${tenant_id}, gen_random_uuid(), ${member}, title from unnest(${titles}::text[]) title
      where not exists (select from notes.notes where tenant_id = ${tenant_id})`)
    if (notes > 0) made.push(`${notes} notes (${slug})`)
  }
  return made
}
