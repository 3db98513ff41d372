/** Routes of categories. Built-in categories can be read; a tenant can also define its own. */
import { Type } from 'typebox'
import { closed, count, oneOf, pageOf, pageQuery, reply, routesOf, sql } from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { CategoryName, Channel } from '../schemas.ts'
import { withDefaults, type Category } from './built-in.ts'
import { categoryColumns, CategoryRow } from './find-category.ts'

const PutCategory = closed(
  {
    class: oneOf('transactional', 'operational', 'marketing'),
    default_channels: Type.Array(Channel, { minItems: 1, maxItems: 4, uniqueItems: true }),
    user_can_disable: Type.Optional(Type.Boolean()),
    respects_quiet_hours: Type.Optional(Type.Boolean()),
    unsubscribe: Type.Optional(Type.Boolean()),
    default_ttl_seconds: Type.Optional(count(60, 90 * 86_400)),
    on_unknown: Type.Optional(oneOf('resend_same_ref', 'give_up')),
  },
  { title: 'PutNotificationCategory' },
)

const CategoryView = Type.Object(
  {
    ...CategoryRow.properties,
    class: oneOf('security', 'transactional', 'operational', 'marketing'),
    built_in: Type.Boolean(),
  },
  { title: 'NotificationCategory' },
)

const path = '/v1/notification-categories'
const absent = 'category_not_found'
const params = { name: CategoryName }

const { open, get, put } = routesOf<Deps>({
  read: 'notifications.categories.read',
  write: 'notifications.categories.write',
  added: true,
  params,
})

export const categoryRoutes = open({
  /** The first page contains the built-in categories. */
  listNotificationCategories: get(
    path,
    'List the categories, by name',
    { query: pageQuery({}), reply: pageOf(CategoryView) },
    async ({ tx, principal: { tenant_id }, list }, { kernel: { cursors }, categories }) => {
      const { after, fetch } = cursors.start(list)
      const last = (after?.[0] ?? '') as string // the cursor is ours: a name
      const own: readonly Category[] = await tx.many(
        CategoryRow,
        sql`
          select ${categoryColumns} from notifications.categories
          where tenant_id = ${tenant_id} and name > ${last} order by name limit ${fetch}`,
      )
      const built_in = [...categories.builtIn.values()].filter(one => one.name > last)
      const all = [...own, ...built_in].toSorted((a, b) => (a.name < b.name ? -1 : 1))
      const { body, headers } = cursors.page(list, all.slice(0, fetch), one => [one.name])
      return reply(200, { ...body, data: body.data.map(one => viewOf(one, categories)) }, headers)
    },
  ),

  getNotificationCategory: get(
    `${path}/{name}`,
    'Get a category',
    { absent, reply: CategoryView },
    async ({ tx, params: { name }, principal: { tenant_id } }, { categories }) => {
      const found = await categories.find(tx, tenant_id, name)
      if (!found) throw problem(absent)
      return viewOf(found, categories)
    },
  ),

  putNotificationCategory: put(
    `${path}/{name}`,
    'Create or replace a category of the tenant',
    {
      sends: ['location'],
      absent: 'validation_failed',
      body: PutCategory,
      replies: { 200: CategoryView, 201: CategoryView },
      fails: ['category_built_in'],
    },
    async ({ tx, params: { name }, principal: { tenant_id }, body }, { categories }) => {
      if (categories.builtIn.has(name)) {
        throw problem('category_built_in', { detail: 'Define one of another name.' })
      }
      const category = withDefaults(name, body)
      const made = await putCategory(tx, tenant_id, category)
      return reply(made ? 201 : 200, viewOf(category, categories), { location: `${path}/${name}` })
    },
  ),
})

function viewOf(category: Category, { builtIn }: Deps['categories']): Static<typeof CategoryView> {
  const { default_channels, ...rest } = category
  const built_in = builtIn.has(category.name)
  return { ...rest, default_channels: [...default_channels], built_in }
}

const Made = Type.Object({ made: Type.Boolean() })

async function putCategory(tx: Tx, tenant_id: string, category: Category): Promise<boolean> {
  const { made } = await tx.one(
    Made,
    sql`
      insert into notifications.categories as c (tenant_id, ${categoryColumns})
      values (${tenant_id}, ${category.name}, ${category.class}, ${[...category.default_channels]},
        ${category.user_can_disable}, ${category.respects_quiet_hours}, ${category.unsubscribe},
        ${category.default_ttl_seconds}, ${category.on_unknown})
      on conflict (tenant_id, name) do update
        set class = excluded.class, default_channels = excluded.default_channels,
          user_can_disable = excluded.user_can_disable,
          respects_quiet_hours = excluded.respects_quiet_hours, unsubscribe = excluded.unsubscribe,
          default_ttl_seconds = excluded.default_ttl_seconds, on_unknown = excluded.on_unknown,
          version = c.version + 1, updated_at = kernel.now()
      returning version = 1 as made`,
  )
  return made
}
