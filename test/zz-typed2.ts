import { createClient } from '../client/src/index.ts'
const api = createClient({ base_url: 'x' })
export async function g() {
  const { data } = await api.GET('/v1/limits')
  const wrong: number = data
  const gen = api.all('/v1/limits')
  const w: number = gen
  const gen2 = api.all('/v1/limits', {})
  const w2: number = gen2
}
