/** Finds a category by its name: a built-in category, or a category of the tenant. */
import { Type } from 'typebox'
import { oneOf, sql, type Reader } from '#dodeca/kernel'
import { Channel } from '../schemas.ts'
import { builtInCategories, type Category } from './built-in.ts'

export const CategoryRow = Type.Object({
  name: Type.String(),
  class: oneOf('transactional', 'operational', 'marketing'),
  default_channels: Type.Array(Channel),
  user_can_disable: Type.Boolean(),
  respects_quiet_hours: Type.Boolean(),
  unsubscribe: Type.Boolean(),
  default_ttl_seconds: Type.Integer(),
  on_unknown: oneOf('resend_same_ref', 'give_up'),
})

export const categoryColumns = sql`name, class, default_channels, user_can_disable,
  respects_quiet_hours, unsubscribe, default_ttl_seconds, on_unknown`

export async function findCategory(
  reader: Reader,
  tenant_id: string,
  name: string,
): Promise<Category | undefined> {
  return (
    builtInCategories.get(name) ??
    (await reader.maybe(
      CategoryRow,
      sql`
        select ${categoryColumns} from notifications.categories
        where tenant_id = ${tenant_id} and name = ${name}`,
    ))
  )
}

const Owned = Type.Object({ tenant_id: Type.String(), ...CategoryRow.properties })

/** The key is `<tenant> <name>`. */
export async function findCategories(
  reader: Reader,
  wanted: readonly { readonly tenant_id: string; readonly category: string }[],
): Promise<ReadonlyMap<string, Category>> {
  const found = new Map<string, Category>()
  const own = new Map<string, { tenant_id: string; category: string }>()
  for (const { tenant_id, category } of wanted) {
    const key = `${tenant_id} ${category}`
    const built_in = builtInCategories.get(category)
    if (built_in) found.set(key, built_in)
    else own.set(key, { tenant_id, category })
  }
  if (own.size === 0) return found
  const asked = [...own.values()]
  const rows = await reader.many(
    Owned,
    sql`
      select c.tenant_id, ${categoryColumns}
      from ${sql.table(asked, { tenant_id: 'uuid', category: 'text' })} w
      join notifications.categories c on c.tenant_id = w.tenant_id and c.name = w.category`,
  )
  for (const { tenant_id, ...category } of rows)
    found.set(`${tenant_id} ${category.name}`, category)
  return found
}
