/**
 * Finds a category by its name: a built-in one, one that a surface of the application declares, or
 * one of the tenant.
 */
import { Type } from 'typebox'
import { oneOf, sql, type Kernel, type Reader } from '#dodeca/kernel'
import { Channel } from '../schemas.ts'
import { builtInCategories, withDefaults, type Category } from './built-in.ts'

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

export type Categories = {
  /** Those that a tenant cannot define: of the platform, and of the application's surfaces. */
  readonly builtIn: ReadonlyMap<string, Category>
  find(reader: Reader, tenant_id: string, name: string): Promise<Category | undefined>
  /** The key is `<tenant> <name>`. */
  findAll(reader: Reader, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, Category>>
}

type Wanted = { readonly tenant_id: string; readonly category: string }

export function openCategories({ declared }: Pick<Kernel, 'declared'>): Categories {
  const own = Object.entries(declared.categories)
  const builtIn = new Map([
    ...builtInCategories,
    ...own.map(([name, given]) => [name, withDefaults(name, given)] as const),
  ])
  return {
    builtIn,
    find: async (reader, tenant_id, name) => {
      const found = await findCategories(reader, builtIn, [{ tenant_id, category: name }])
      return found.get(`${tenant_id} ${name}`)
    },
    findAll: (reader, wanted) => findCategories(reader, builtIn, wanted),
  }
}

const Owned = Type.Object({ tenant_id: Type.String(), ...CategoryRow.properties })

async function findCategories(
  reader: Reader,
  builtIn: Categories['builtIn'],
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, Category>> {
  const found = new Map<string, Category>()
  const own = new Map<string, { tenant_id: string; category: string }>()
  for (const { tenant_id, category } of wanted) {
    const key = `${tenant_id} ${category}`
    const built_in = builtIn.get(category)
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
