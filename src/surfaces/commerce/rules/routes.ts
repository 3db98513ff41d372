/** Routes that create or replace, get, and list the rules of a shop. */
import { type TObject, type TSchema, Type } from 'typebox'
import { etag, page, reply, route, routesOf, sql } from '#dodeca/kernel'
import type { RouteMaker, Sql, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireCurrency } from '../prices/add-price.ts'
import { Code, Word } from '../schemas.ts'
import {
  conditionsOf,
  findRecord,
  isAutomatic,
  putRecord,
  RecordRow,
  recordColumns,
  settingsOf,
  shopSettings,
  type RecordKind,
} from './records.ts'
import * as shapes from './schemas.ts'
import {
  checkDiscount,
  checkShippingMethod,
  discountOf,
  shippingMethodOf,
  taxRuleOf,
} from './views.ts'

const settings_path = '/v1/commerce/settings'

const { open, get, list, put } = routesOf<Deps>({
  permission: 'commerce.settings.write',
  added: true,
})

export const ruleRoutes = open({
  // Settings that are not stored have no ETag, so this is no `get`.
  getCommerceSettings: name =>
    route({
      method: 'GET',
      path: settings_path,
      name,
      summary: 'Get the settings of the shop for totals, payments and returns',
      permission: 'commerce.settings.write',
      added: true,
      sends: ['etag'],
      replies: { 200: shapes.ShopSettings },
      handle: async ({ tx, principal }) => {
        const found = await shopSettings(tx, principal.tenant_id)
        return reply(200, found, found.version > 0 ? { etag: etag(found.version) } : {})
      },
    }),

  putCommerceSettings: put(
    settings_path,
    'Change the settings of the shop for totals, payments and returns',
    {
      body: shapes.PutSettings,
      reply: shapes.ShopSettings,
      fails: ['precondition_failed', 'currency_unsupported'],
    },
    async ({ tx, principal: { id, tenant_id }, body, request }) => {
      requireCurrency(body.default_currency)
      const key = { tenant_id, kind: 'settings', key: 'settings' } as const
      const { row } = await putRecord(tx, key, body, id, conditionsOf(request))
      return settingsOf(row)
    },
  ),

  ...rulesOf({
    kind: 'tax_rule',
    noun: 'TaxRule',
    path: '/v1/tax-rules',
    says: 'tax rule',
    shape: shapes.TaxRule,
    put: shapes.PutTaxRule,
    key: Word,
    view: taxRuleOf,
  }),

  ...rulesOf({
    kind: 'shipping_method',
    noun: 'ShippingMethod',
    path: '/v1/shipping-methods',
    says: 'shipping method',
    shape: shapes.ShippingMethod,
    put: shapes.PutShippingMethod,
    key: Word,
    view: shippingMethodOf,
    check: body => checkShippingMethod(body as shapes.ShippingMethod),
  }),

  ...rulesOf({
    kind: 'discount',
    noun: 'Discount',
    path: '/v1/discounts',
    says: 'discount',
    shape: shapes.Discount,
    put: shapes.PutDiscount,
    key: Code,
    view: discountOf,
    check: body => checkDiscount(body as Partial<shapes.Discount>),
    // Each cart is compared with all of them.
    limit: {
      name: 'commerce.automatic_discounts',
      rows: tenant_id => sql`
        select 1 from commerce.shop_records r
        where r.tenant_id = ${tenant_id} and ${isAutomatic}`,
    },
  }),
})

type Resource = {
  readonly kind: RecordKind
  /** In the names of its operations. */
  readonly noun: string
  readonly path: string
  readonly says: string
  readonly shape: TObject
  readonly put: TObject
  /** The format of a rule's name in the path. */
  readonly key: TSchema
  readonly view: (row: RecordRow) => object
  readonly check?: (body: unknown) => void
  readonly limit?: {
    readonly name: 'commerce.automatic_discounts'
    rows(tenant_id: string): Sql
  }
}

async function keepLimit(
  tx: Tx,
  { counted, settings }: Deps['kernel'],
  tenant_id: string,
  limit: Resource['limit'],
): Promise<void> {
  if (!limit) return
  const { name, rows } = limit
  await counted(tx, `${name}:${tenant_id}`, settings[name], rows(tenant_id), 0)
}

function rulesOf(resource: Resource): Record<string, RouteMaker<Deps>> {
  const { kind, noun, path, says, key, view, limit } = resource
  const shape = Type.Unsafe<object>(resource.shape)
  const name = kind === 'discount' ? 'code' : 'id'
  const one = `${path}/{${name}}`
  const params = { [name]: key }
  const absent = `${kind}_not_found` as 'tax_rule_not_found'
  const named = ({ tenant_id }: { readonly tenant_id: string }, given: unknown) => ({
    tenant_id,
    kind,
    key: (given as Record<string, string>)[name] ?? '',
  })
  return {
    [`put${noun}`]: put(
      one,
      `Create or replace a ${says}`,
      {
        description: 'Existing orders keep their totals. The totals of carts are calculated again.',
        params,
        absent: 'validation_failed',
        body: resource.put,
        replies: { 200: shape, 201: shape },
        location: one,
        fails: [
          'precondition_failed',
          'currency_unsupported',
          ...(limit ? ['quota_exceeded'] : []),
        ],
      },
      async ({ tx, principal, params: given, body, request }, { kernel }) => {
        resource.check?.(body)
        const rule = named(principal, given)
        const conditions = conditionsOf(request)
        const { row, made } = await putRecord(tx, rule, body, principal.id, conditions)
        await keepLimit(tx, kernel, principal.tenant_id, limit)
        return reply(made ? 201 : 200, view(row))
      },
    ),

    [`get${noun}`]: get(
      one,
      `A ${says}`,
      { params, absent, reply: shape },
      async ({ tx, principal, params: given }) => {
        const row = await findRecord(tx, named(principal, given))
        if (!row) throw problem(absent)
        return view(row)
      },
    ),

    [`list${noun}s`]: list(
      path,
      `List the ${says}s of the shop, by name`,
      { item: shape },
      async ({ tx, principal, list }) =>
        await page(tx, {
          scope: list,
          row: RecordRow,
          place: ['key'],
          view,
          fetch: (after, n) => sql`
            select ${recordColumns} from commerce.shop_records r
            where r.tenant_id = ${principal.tenant_id} and r.kind = ${kind}
              and (${after.key}::text is null or r.key > ${after.key})
            order by r.key limit ${n}`,
        }),
    ),
  }
}
