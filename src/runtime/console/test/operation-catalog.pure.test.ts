/** What the console gets of each operation, from the product's own document. */
import { expect, test } from 'vitest'
import { openApiText } from '../../../../scripts/openapi.ts'
import { operationCatalog } from '../operation-catalog.ts'

const catalog = operationCatalog(await openApiText())

test('an operation has its place, its permission, its body and an example', () => {
  const { submitJob } = catalog
  expect(submitJob).toMatchObject({
    method: 'POST',
    path: '/v1/jobs',
    permission: 'jobs.jobs.submit:{body.type}',
    body: { required: ['type'], properties: { type: { type: 'string' } } },
  })
  expect(submitJob?.example).toHaveProperty('type')
})

test('a list has its filters; that it has pages is said apart', () => {
  const { query = {}, pages } = catalog['listJobs'] ?? {}
  expect([pages, catalog['getJob']?.pages]).toEqual([true, false])
  expect(Object.keys(query)).toEqual(['state', 'type'])
  expect(query['state']?.['enum']).toContain('failed')
})

test('an operation says whether it compares the version of its item', () => {
  const { createRefund, submitJob } = catalog
  expect([createRefund?.compares, submitJob?.compares]).toEqual([true, false])
})

test('references are replaced by what they refer to', () => {
  expect(JSON.stringify(catalog)).not.toContain('$ref')
})

test('every body has an example, which is what the first line of curl sends', () => {
  const without = Object.entries(catalog).flatMap(([id, { body, example }]) =>
    body !== null && example === null ? [id] : [],
  )
  expect(without).toEqual([])
})
