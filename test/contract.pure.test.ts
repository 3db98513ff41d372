/** The product's own routes are what the specification promises. */
import { expect, test } from 'vitest'
import { openProduct } from '../scripts/openapi.ts'
import { compareContract } from './contract-check.ts'
import { contractTable } from './contract-table.ts'

test('the specification and the routes agree', async () => {
  const product = await openProduct()
  const { routes, sockets } = product
  await product.stop()
  // Development helpers are not part of the contract; the table is about /v1 and the paths that it
  // names.
  const published = routes.filter(route => !route.path.startsWith('/dev'))
  expect(published.length).toBeGreaterThan(0)
  const open = sockets.paths.map(path => ({ method: 'WS', path }))
  expect(compareContract(contractTable, [...published, ...open])).toEqual([])
})
