/** A few bookmarks of a member of each demo tenant; running it again changes nothing. */
import { Type } from 'typebox'
import { sql, type DemoTenant } from '#dodeca/kernel'
import { bookmarks as resource } from './bookmark.ts'
import type { Kernel } from './settings.ts'

const bookmarks = [
  { url: 'https://www.postgresql.org/docs/', title: 'PostgreSQL manual', tags: ['work', 'sql'] },
  { url: 'https://www.rfc-editor.org/rfc/rfc9110', title: 'HTTP semantics', tags: ['work'] },
  { url: 'https://www.example.com/recipes', title: 'Recipes for two', tags: ['cooking'] },
]

export async function seed(kernel: Kernel, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, member } of tenants) {
    const mine = sql`select id from bookmarks.bookmarks where tenant_id = ${tenant_id} and owner_id = ${member} limit 1`
    await kernel.db.tx(async tx => {
      if (await tx.maybe(Type.Object({ id: Type.String() }), mine)) return
      const scope = { tenant_id, owner_id: member }
      for (const one of bookmarks) await resource.make(tx, scope, one, { kernel })
      made.push(`${bookmarks.length} bookmarks (${slug})`)
    })
  }
  return made
}
