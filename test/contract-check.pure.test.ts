/**
 * Proves that the comparison with the specification can fail, in every way that it should, and that
 * the table itself is whole.
 */
import { describe, expect, test } from 'vitest'
import { compareContract, type BuiltRoute } from './contract-check.ts'
import { contractTable, type Endpoint } from './contract-table.ts'

const endpoint = (method: Endpoint['method'], path: string): Endpoint => ({
  surface: 'jobs',
  method,
  path,
  idempotency: null,
})

const table = [
  { ...endpoint('POST', '/v1/jobs'), idempotency: 'required', statuses: [202] },
  endpoint('GET', '/v1/jobs'),
  endpoint('GET', '/v1/jobs/{job_id}'),
  { ...endpoint('GET', '/v1/jobs/{job_id}'), surface: 'inference' },
] as const satisfies readonly Endpoint[]

const submit: BuiltRoute = {
  method: 'POST',
  path: '/v1/jobs',
  idempotency: 'required',
  replies: { 202: {} },
}
const list: BuiltRoute = { method: 'GET', path: '/v1/jobs' }
const show: BuiltRoute = { method: 'GET', path: '/v1/jobs/{job_id}' }

describe('the comparison', () => {
  test('finds nothing where every endpoint is built once', () => {
    expect(compareContract(table, [submit, list, show])).toEqual([])
    expect(compareContract(table, [submit, list, show, added('GET', '/v1/limits')])).toEqual([])
  })

  test.for<[string, BuiltRoute[], string]>([
    ['an endpoint that is not built', [submit, list], 'GET /v1/jobs/{job_id} is not built'],
    ['a silent extra', [submit, list, show, { ...list, path: '/v1/x' }], 'not marked as added'],
    ['a false extra', [submit, added('GET', '/v1/jobs'), show], 'is marked as added'],
    ['a route mounted twice', [submit, list, list, show], 'GET /v1/jobs is mounted twice'],
    ['an optional key', [{ ...submit, idempotency: 'optional' }, list, show], 'not required'],
    ['no key at all', [{ ...submit, idempotency: undefined }, list, show], 'ignored, not'],
    ['another status', [{ ...submit, replies: { 201: {} } }, list, show], 'never answers 202'],
    ['other parameter names', [submit, list, { ...show, path: '/v1/jobs/{id}' }], 'is not built'],
  ])('finds %s', ([, routes, says]) => {
    expect(compareContract(table, routes).join('\n')).toContain(says)
  })

  test('takes a record in the domain row for a required key', () => {
    const routes = [{ ...submit, idempotency: 'domain' }, list, show]
    expect(compareContract(table, routes)).toEqual([])
  })
})

describe('the table', () => {
  test('has the 98 rows of the specification, which are 96 routes', () => {
    expect(contractTable).toHaveLength(98)
    expect(new Set(contractTable.map(row => `${row.method} ${row.path}`)).size).toBe(96)
  })

  test('has the rows of each surface', () => {
    const rows = Map.groupBy(contractTable, row => row.surface)
    expect(Object.fromEntries([...rows].map(([surface, own]) => [surface, own.length]))).toEqual({
      identity: 11,
      commerce: 8,
      social: 10,
      uploads: 6,
      notifications: 6,
      chat: 7,
      inference: 11,
      retrieval: 9,
      payments: 8,
      links: 7,
      jobs: 7,
      webhooks: 8,
    })
  })

  test('keys what the specification keys', () => {
    const keyed = contractTable.filter(row => row.idempotency !== null)
    expect(Object.fromEntries(keyed.map(row => [row.path, row.idempotency]))).toEqual({
      '/v1/checkouts': 'required',
      '/v1/orders/{order_id}/cancel': 'required',
      '/v1/returns': 'required',
      '/v1/notifications': 'required',
      '/v1/conversations/{id}/messages': 'required',
      '/v1/inference-jobs': 'required',
      '/v1/reports': 'required',
      '/v1/payment-intents': 'required',
      '/v1/payment-intents/{id}/authorize': 'required',
      '/v1/payment-intents/{id}/capture': 'required',
      '/v1/payment-intents/{id}/cancel': 'required',
      '/v1/refunds': 'required',
      '/v1/jobs': 'required',
      '/v1/links': 'optional',
    })
  })
})

function added(method: string, path: string): BuiltRoute {
  return { method, path, added: true }
}
