/** What the console makes of the document of an application. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ownPlaces } from '../own-places.ts'

const page = (row: object) => ({
  responses: {
    200: {
      content: {
        'application/json': {
          schema: {
            properties: {
              data: { type: 'array', items: { $ref: '#/components/schemas/Row' } },
              next_cursor: {},
            },
          },
        },
      },
    },
  },
  ...row,
})
const document = (paths: object, properties: object) =>
  JSON.stringify({ paths, components: { schemas: { Row: { type: 'object', properties } } } })

test('the platform alone has none', async () => {
  const text = await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')
  expect(ownPlaces(text)).toEqual([])
})

test('a list has what is at its path and below it', () => {
  const tags = ['Stock']
  const made = ownPlaces(
    document(
      {
        '/v1/price-lists': {
          get: page({ operationId: 'listPriceLists', tags }),
          post: { operationId: 'createPriceList', tags },
        },
        '/v1/price-lists/{sku}': {
          get: { operationId: 'getPriceList', tags, responses: {} },
          delete: { operationId: 'removePriceList', tags },
        },
        '/v1/price-lists/{sku}/publish': { post: { operationId: 'publishPriceList', tags } },
        '/v1/price-lists/{sku}/old-prices': { get: page({ operationId: 'listOldPrices', tags }) },
        '/v1/orders': { get: page({ operationId: 'listOrders', tags: ['Commerce'] }) },
      },
      {
        id: { type: 'string' },
        sku: { type: 'string' },
        lines: { type: 'array' },
        version: { type: 'integer' },
        created_at: { type: 'string' },
      },
    ),
  )
  const columns = ['sku', 'created_at', 'id']
  expect(made).toEqual([
    {
      name: 'stock',
      title: 'Stock',
      resources: [
        {
          name: 'price-lists',
          title: 'Price lists',
          list: 'listPriceLists',
          read: 'getPriceList',
          create: 'createPriceList',
          key: ['sku'],
          columns,
          events: [],
          actions: [{ by: 'removePriceList', hurts: true }, { by: 'publishPriceList' }],
          related: [{ title: 'Old prices', list: 'listOldPrices', columns }],
          named: 'sku',
        },
      ],
    },
  ])
})
