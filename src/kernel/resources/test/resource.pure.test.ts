/** What follows from the declaration of a resource, without a database. */
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Kernel } from '../../surface.ts'
import { text } from '../../http/contract/shapes.ts'
import { given, shown } from '../fields.ts'
import { record } from '../record.ts'
import { resource } from '../resource.ts'
import { surface } from '../surface.ts'

const offer = record('shop.price_offers', {
  noun: 'price_offer',
  tombstone: true,
  fields: { name: given(text(20)), open: shown(Type.Boolean(), true) },
})
const plain = { path: '/v1/price-offers', one: 'priceOffer', many: 'priceOffers' } as const
const usual = { ...plain, most: 5, kept_days: 1 } as const
const kernel = { settings: {} } as Kernel

test('a resource of the tenant has no owner, and no role has its permissions', () => {
  const made = resource(offer, { ...usual, of: 'tenant', data: ['open'] })
  expect(made.permissions).toEqual({
    'shop.price_offers.read': { says: 'See price offers', roles: [] },
    'shop.price_offers.write': { says: 'Create, change and delete price offers', roles: [] },
  })
  expect(Object.keys(made.settings)).toEqual([
    'shop.price_offers_most',
    'shop.price_offers_kept_days',
  ])
  expect(Object.keys(made.events)).toEqual([
    'price_offer.created',
    'price_offer.changed',
    'price_offer.deleted',
  ])
  expect(made.events['price_offer.created']?.data).toMatchObject({
    required: ['price_offer_id', 'open'],
  })
  expect(made.personal).toEqual([])
  expect(Object.keys(made.errors)).toEqual(['price_offer_not_found'])
  const [list] = made.routes({ kernel })
  expect(Object.keys(list?.query?.properties ?? {})).toEqual(['since', 'until', 'cursor', 'limit'])
})

test('a resource of an owner is for members, and others may be allowed to see it', () => {
  const made = resource(offer, { ...usual, of: 'owner' })
  const roles = Object.entries(made.permissions).map(([name, one]) => [name, one.roles])
  expect(roles).toEqual([
    ['shop.price_offers.read', ['member']],
    ['shop.price_offers.write', ['member']],
    ['shop.price_offers.read_any', ['tenant_admin', 'support_viewer']],
  ])
  expect(made.personal).toMatchObject([{ table: 'shop.price_offers', owner: 'owner_id' }])
  expect(made.routes({ kernel }).map(one => `${one.name}: ${one.method} ${one.path}`)).toEqual([
    'listPriceOffers: GET /v1/price-offers',
    'createPriceOffer: POST /v1/price-offers',
    'getPriceOffer: GET /v1/price-offers/{price_offer_id}',
    'changePriceOffer: PATCH /v1/price-offers/{price_offer_id}',
    'deletePriceOffer: DELETE /v1/price-offers/{price_offer_id}',
  ])
})

test('operations that it does not have are left out, with their events', () => {
  const made = resource(offer, { ...usual, of: 'tenant', without: ['change', 'remove'] })
  expect(made.routes({ kernel }).map(one => one.method)).toEqual(['GET', 'POST', 'GET'])
  expect(Object.keys(made.events)).toEqual(['price_offer.created'])
})

test('a record without tombstones cannot be a resource', () => {
  const bare = record('shop.price_offers', { noun: 'price_offer', fields: offer.fields })
  expect(() => resource(bare, { ...usual, of: 'tenant' })).toThrow('needs a tombstone')
})

test('a surface joins its resources with what it declares itself', () => {
  const all = resource(offer, { ...usual, of: 'tenant', roles: ['merchant'] })
  const shop = surface({
    name: 'shop',
    migrations: new URL('file:///none/'),
    resources: [all],
    permissions: { 'shop.till.open': { says: 'Open the till', roles: [] } },
    errors: { till_closed: { status: 409, title: 'The till is closed' } },
  })
  expect(Object.keys(shop.permissions)).toEqual([
    'shop.price_offers.read',
    'shop.price_offers.write',
    'shop.till.open',
  ])
  expect(Object.keys(shop.errors)).toEqual(['price_offer_not_found', 'till_closed'])
  const opened = shop.open({ ...kernel, db: {} } as Parameters<typeof shop.open>[0], {})
  expect(opened.routes).toHaveLength(5)
  expect(opened.retention).toMatchObject([{ table: 'shop.price_offers' }])
})
