/** The usual limit of members fits the bodies that a schema allows, or the route has a larger one. */
import { expect, test } from 'vitest'
import { openProduct } from '../scripts/openapi.ts'
import { usual_members_max } from '../src/kernel/http/input/content.ts'

type Schema = {
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly maxItems?: number
}

/** The members of the largest body with the properties that the schema names. */
function members({ anyOf, properties, items, maxItems = 0 }: Schema): number {
  if (anyOf) return Math.max(...anyOf.map(members))
  if (properties) {
    return Object.values(properties).reduce((sum, one) => sum + 1 + members(one), 0)
  }
  return items ? maxItems * members(items) : 0
}

test('a body that its schema allows has no more members than its route accepts', async () => {
  const product = await openProduct()
  const { routes } = product
  await product.stop()
  const large = routes.filter(({ body }) => body && members(body as Schema) > usual_members_max)
  const operation = ({ method, path }: (typeof routes)[number]) => `${method} ${path}`
  expect(large.map(operation)).toContain('POST /v1/job-batches')
  expect(large.filter(one => one.body_members_max === undefined).map(operation)).toEqual([])
})
