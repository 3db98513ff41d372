/** Routes that create or replace, get, and list the rules of a shop. */
import { type TObject, type TSchema, Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { etag } from '../../../kernel/http/etag.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page, pageQuery } from '../../../kernel/http/shapes.ts'
import { problem } from '../errors.ts'
import { requireCurrency } from '../prices/add-price.ts'
import { Code, Word } from '../schemas.ts'
import {
  findRecord,
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

const writes = 'commerce.settings.write'
const settings_path = '/v1/commerce/settings'

export function ruleRoutes(): readonly Route[] {
  return [
    ...settingsRoutes(),
    ...recordRoutes({
      kind: 'tax_rule',
      noun: 'TaxRule',
      path: '/v1/tax-rules',
      says: 'tax rule',
      shape: shapes.TaxRule,
      put: shapes.PutTaxRule,
      key: Word,
      view: taxRuleOf,
    }),
    ...recordRoutes({
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
    ...recordRoutes({
      kind: 'discount',
      noun: 'Discount',
      path: '/v1/discounts',
      says: 'discount',
      shape: shapes.Discount,
      put: shapes.PutDiscount,
      key: Code,
      view: discountOf,
      check: body => checkDiscount(body as Partial<shapes.Discount>),
    }),
  ]
}

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
}

function recordRoutes(resource: Resource): Route[] {
  return [putRoute(resource), getRoute(resource), listRoute(resource)]
}

/** The rule's name in the path. */
function namesOf({ kind, path, key }: Resource) {
  const name = kind === 'discount' ? 'code' : 'id'
  return {
    one: `${path}/{${name}}`,
    absent: `${kind}_not_found` as 'tax_rule_not_found',
    params: { [name]: key },
    keyOf: (given: unknown) => (given as Record<string, string>)[name] ?? '',
  }
}

function putRoute(resource: Resource): Route {
  const { kind, noun, path, says, put, view, check } = resource
  const shape = Type.Unsafe<object>(resource.shape)
  const { one, params, keyOf } = namesOf(resource)
  return route({
    method: 'PUT',
    path: one,
    name: `put${noun}`,
    summary: `Create or replace a ${says}`,
    description: 'Existing orders keep their totals. The totals of carts are calculated again.',
    permission: writes,
    added: true,
    params,
    absent: 'validation_failed',
    body: put,
    sends: ['etag', 'location'],
    replies: { 200: shape, 201: shape },
    fails: ['precondition_failed', 'currency_unsupported'],
    handle: async ({ tx, principal, params: given, body, request: { headers } }) => {
      check?.(body)
      const conditions = {
        if_match: headers['if-match'],
        if_none_match: headers['if-none-match'],
      }
      const key = { tenant_id: principal.tenant_id, kind, key: keyOf(given) }
      const { row, made } = await putRecord(tx, key, body, principal.id, conditions)
      const tag = { etag: etag(row.version) }
      const shown = view(row)
      if (!made) return reply(200, shown, tag)
      return reply(201, shown, { ...tag, location: `${path}/${row.key}` })
    },
  })
}

function getRoute(resource: Resource): Route {
  const { kind, noun, says, view } = resource
  const shape = Type.Unsafe<object>(resource.shape)
  const { one, absent, params, keyOf } = namesOf(resource)
  return route({
    method: 'GET',
    path: one,
    name: `get${noun}`,
    summary: `A ${says}`,
    permission: writes,
    added: true,
    params,
    absent,
    sends: ['etag'],
    replies: { 200: shape },
    fails: [absent],
    handle: async ({ tx, principal: { tenant_id }, params: given }) => {
      const row = await findRecord(tx, { tenant_id, kind, key: keyOf(given) })
      if (!row) throw problem(absent)
      return reply(200, view(row), { etag: etag(row.version) })
    },
  })
}

function listRoute(resource: Resource): Route {
  const { kind, noun, path, says, view } = resource
  const shape = Type.Unsafe<object>(resource.shape)
  return route({
    method: 'GET',
    path,
    name: `list${noun}s`,
    summary: `List the ${says}s of the shop, by name`,
    permission: writes,
    added: true,
    query: pageQuery({}),
    replies: { 200: page(shape) },
    handle: async ({ tx, principal, list }) => {
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: RecordRow,
        place: ['key'],
        view,
        fetch: (after, n) => sql`
          select ${recordColumns} from commerce.shop_records r
          where r.tenant_id = ${principal.tenant_id} and r.kind = ${kind}
            and (${after.key}::text is null or r.key > ${after.key})
          order by r.key limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function settingsRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: settings_path,
      name: 'getCommerceSettings',
      summary: 'Get the settings of the shop for totals, payments and returns',
      permission: writes,
      added: true,
      sends: ['etag'],
      replies: { 200: shapes.ShopSettings },
      handle: async ({ tx, principal }) => {
        const found = await shopSettings(tx, principal.tenant_id)
        return reply(200, found, found.version > 0 ? { etag: etag(found.version) } : {})
      },
    }),
    route({
      method: 'PUT',
      path: settings_path,
      name: 'putCommerceSettings',
      summary: 'Change the settings of the shop for totals, payments and returns',
      permission: writes,
      added: true,
      body: shapes.PutSettings,
      sends: ['etag'],
      replies: { 200: shapes.ShopSettings },
      fails: ['precondition_failed', 'currency_unsupported'],
      handle: async ({ tx, principal: { id, tenant_id }, body, request: { headers } }) => {
        requireCurrency(body.default_currency)
        const key = { tenant_id, kind: 'settings', key: 'settings' } as const
        const conditions = {
          if_match: headers['if-match'],
          if_none_match: headers['if-none-match'],
        }
        const { row } = await putRecord(tx, key, body, id, conditions)
        return reply(200, settingsOf(row), { etag: etag(row.version) })
      },
    }),
  ]
}
