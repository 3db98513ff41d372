import { createClient } from '../client/src/index.ts'
const api = createClient({ base_url: 'x' })
export async function f() {
  const { data } = await api.GET('/v1/limits')
  const n: string = data.data[0]!.name
  for await (const limit of api.all('/v1/limits')) { const s: string = limit.name; void s }
  const park = await api.POST('/v1/event-parks/{id}/retry', { params: { path: { id: 'x' } }, body: { reason: 'y' } })
  const st: 'waiting' | 'dead' | 'skipped' | 'resolved' = park.data.state
  // @ts-expect-error unknown path
  await api.GET('/v1/nothing')
  // @ts-expect-error body missing
  await api.POST('/v1/event-parks/{id}/retry', { params: { path: { id: 'x' } } })
  // @ts-expect-error wrong query
  await api.GET('/v1/event-parks', { params: { query: { state: 'odd' } } })
  // @ts-expect-error no such method
  await api.POST('/v1/limits')
  return [n, st]
}
