/** Usage in groups, and prices: each line is the sum of its rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import {
  code,
  openInferenceWorld,
  type InferenceWorld,
  type Someone,
} from '../../test/inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld()
})
afterAll(() => world.close())

const Row = Type.Object({
  day: Type.String(),
  model: Type.String(),
  principal: Type.String(),
  workload: Type.String(),
  tags: Type.Array(Type.String()),
  tokens: Type.Integer(),
  cost: Type.Number(),
})

const rowsOf = (one: Someone) =>
  world.platform.kernel.db.many(
    Row,
    sql`
      select counted_on::text as day, model_deployment_id::text as model,
        principal_id::text as principal, workload, tags, input_tokens + output_tokens as tokens,
        (estimated_cost_minor_units / 100)::float8 as cost
      from inference.generation_usage where tenant_id = ${one.tenant.id}`,
  )

type Line = Readonly<Record<string, string | null>> & {
  readonly requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_amount: string
}

const columns = {
  day: 'day',
  model: 'model_deployment_id',
  principal: 'principal_id',
  tag: 'tag',
  workload: 'workload',
} as const
type Group = keyof typeof columns

async function lines(one: Someone, query: string): Promise<Line[]> {
  const all: Line[] = []
  for (let next = ''; ;) {
    const { status, text, body } = await one.ask('GET', `/v1/usage?limit=2&${query}${next}`)
    expect(status, text).toBe(200)
    all.push(...body.data)
    if (!body.has_more) return all
    next = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Some calls of two people, with tags and without, in two days. */
async function used(): Promise<{ admin: Someone; member: Someone }> {
  const admin = await world.someone()
  const member = await world.someone(admin.tenant)
  await world.allow(admin, 'inference.usage.read')
  await admin.infer('One.', { tags: ['a', 'b'] })
  await admin.infer('Two.')
  await member.infer('Three.', { tags: ['b'] })
  const embed = { model: 'embedding', input: 'Hi.' }
  const { text, body } = await member.ask('POST', '/v1/embeddings', embed)
  expect(body.data, text).toHaveLength(1)
  await world.platform.kernel.db.tx(async tx => {
    // Usage of yesterday: rows are only added.
    await tx.run(sql`
      insert into inference.generation_usage
      select (u).* from (select jsonb_populate_record(u, jsonb_build_object(
        'id', gen_random_uuid(), 'operation_id', gen_random_uuid(),
        'counted_on', u.counted_on - 1)) as u
      from inference.generation_usage u where u.tenant_id = ${admin.tenant.id}) u`)
  })
  return { admin, member }
}

describe.concurrent('usage', () => {
  test('in each group, and by day, is the sum of its rows', async () => {
    const { admin, member } = await used()
    const rows = await rowsOf(admin)
    expect(rows).toHaveLength(8)
    for (const by of Object.keys(columns) as Group[]) {
      for (const interval of ['', '&interval=day']) {
        const found = await lines(admin, `scope=tenant&group_by=${by}${interval}`)
        const by_day = by === 'day' || interval !== ''
        const keyed = rows.flatMap(row => {
          const tags = row.tags.length > 0 ? row.tags : [null]
          const names = by === 'tag' ? tags : [row[by]]
          return names.map(name => ({ key: `${by_day ? row.day : null} ${name}`, row }))
        })
        const sums = Object.groupBy(keyed, one => one.key)
        expect(found).toHaveLength(Object.keys(sums).length)
        for (const line of found) {
          const of = sums[`${line['day']} ${line[columns[by]]}`] ?? []
          expect(line.requests).toBe(of.length)
          expect(line.input_tokens + line.output_tokens).toBe(
            of.reduce((sum, { row }) => sum + row.tokens, 0),
          )
          expect(Number(line.cost_amount)).toBeCloseTo(
            of.reduce((sum, { row }) => sum + row.cost, 0),
            8,
          )
        }
      }
    }
    // What the keys of a person use is the person's own.
    const permissions = ['inference.operations.create']
    const key = await member.ask('POST', '/v1/api-keys', { name: 'a program', permissions })
    const body = { model: 'default', input: 'Hi.', tags: ['c'] }
    await world.call('POST', '/v1/inferences', { token: key.body.key, body })
    const apart = await lines(member, 'group_by=principal')
    const ids = apart.map(line => line['principal_id'])
    expect(new Set(ids)).toEqual(new Set([member.id, key.body.id]))
    const of_key = await world.call('GET', '/v1/usage?group_by=tag', { token: key.body.key })
    expect(of_key.body.data.map((line: Line) => line['tag'])).toEqual(['c'])
    const own = await lines(member, 'group_by=tag')
    expect(own.map(line => [line['tag'], line.requests])).toEqual([
      [null, 2],
      ['b', 2],
      ['c', 1],
    ])
    const refused = await member.ask('GET', '/v1/usage?group_by=principal&scope=tenant')
    expect(code(refused)).toEqual([403, 'permission_denied'])
    const other = await world.someone()
    await world.allow(other, 'inference.usage.read')
    expect(await lines(other, 'scope=tenant&group_by=tag')).toEqual([])
  })

  test('of a person is in the export, and the limits go with the person', async () => {
    const { admin, member } = await used()
    await world.allow(admin, 'inference.quotas.write')
    const path = `/v1/quotas/principal/${member.id}`
    await admin.ask('PUT', path, { tags: ['team:red'] })
    const personal = world.platform.opened['inference']?.personal
    const account = { account_id: member.id, principal_ids: [member.id] }
    const exported: unknown[] = []
    for await (const one of personal?.export(account as never, AbortSignal.timeout(30_000)) ?? [])
      exported.push(one)
    const calls = exported.map(one => (one as { data: Record<string, unknown> }).data)
    expect(calls.map(one => one['tags'])).toEqual([['b'], []])
    expect(calls[0]?.['usage']).toMatchObject([{ run: 1, status: 'succeeded', currency: 'USD' }])
    await personal?.erase(account as never, AbortSignal.timeout(30_000))
    expect(code(await admin.ask('GET', path))).toEqual([404, 'quota_scope_not_found'])
    const [kept] = await lines(admin, 'scope=tenant&group_by=tag')
    expect(kept?.requests).toBe(4)
    expect(await world.faults()).toEqual([])
  })
})

test('prices are listed with those before and after them, of models that the caller may see', async () => {
  const one = await world.someone()
  await world.allow(
    one,
    'inference.models.write',
    'inference.prices.write',
    'inference.platform.write',
  )
  const made = await one.ask('POST', '/v1/models', {
    provider: 'openai',
    model_name: 'priced',
    capability: ['text'],
    max_context: 16_000,
    max_output: 1000,
    state: 'active',
  })
  const { id } = made.body
  const price = async (input: string, effective_from?: string) => {
    const body = { model_deployment_id: id, currency: 'USD', input, cached_input: '0', output: '1' }
    const set = await one.ask('POST', '/v1/model-prices', {
      ...body,
      ...(effective_from && { effective_from }),
    })
    expect(set.status, set.text).toBe(201)
    return set.body
  }
  await price('1.00')
  expect(await price('2.00')).toMatchObject({ state: 'in_force' })
  await price('3.00', new Date(Date.now() + 86_400_000).toISOString())
  const path = `/v1/model-prices?model_deployment_id=${id}`
  const first = await one.ask('GET', `${path}&limit=2`)
  const next = await one.ask(
    'GET',
    `${path}&limit=2&cursor=${encodeURIComponent(first.body.next_cursor)}`,
  )
  const all = [...first.body.data, ...next.body.data]
  expect(all.map(({ price_version, state }) => [price_version, state])).toEqual([
    [3, 'scheduled'],
    [2, 'in_force'],
    [1, 'replaced'],
  ])
  const now = await one.ask('GET', '/v1/model-prices?state=in_force')
  expect(now.body.data.map((line: { input: string }) => line.input)).toContain('2.00000000')
  const other = await world.someone()
  expect((await other.ask('GET', path)).body.data).toEqual([])
  const platform = await other.ask('GET', '/v1/model-prices')
  expect(platform.body.data.length).toBeGreaterThan(0)
})
