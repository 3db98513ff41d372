/** The control plane of every vendor of models: its pace, its faults and its journal. */
import { Type, type TSchema } from 'typebox'
import { fits, type ControlRoute } from '../control.ts'
import { FaultRule, type Faults } from './faults.ts'
import type { Requests } from './requests.ts'

export const Ms = Type.Integer({ minimum: 0, maximum: 3_600_000 })
export const paces = { ttft_ms: Ms, delta_ms: Ms }

export type Controlled<C extends object> = {
  readonly faults: Faults
  readonly requests: Requests
  readonly Change: TSchema
  config(): C
  setConfig(config: C): void
  reset(): void
}

export function modelControl<C extends object>(vended: Controlled<C>): ControlRoute[] {
  const { faults, requests, Change, config } = vended
  return [
    { method: 'GET', path: '/config', run: () => ({ status: 200, body: config() }) },
    post('/config', body => {
      vended.setConfig({ ...config(), ...(fits(Change, body) as Partial<C>) })
      return config()
    }),
    {
      method: 'GET',
      path: '/faults',
      run: () => listed(faults.script.list().map(({ id, rule, left }) => ({ id, left, ...rule }))),
    },
    post('/faults', body => {
      const rule = fits(FaultRule, body)
      const { id, left } = faults.script.add(rule, rule.times ?? 1)
      return { id, left, ...rule }
    }),
    {
      method: 'DELETE',
      path: '/faults',
      run: () => {
        faults.script.clear()
        return { status: 204 }
      },
    },
    {
      method: 'GET',
      path: '/requests',
      run: ({ query }) =>
        listed(
          requests
            .list()
            .filter(one => !query['operation_id'] || one.operation_id === query['operation_id'])
            .filter(one => !query['path'] || one.path.includes(query['path'])),
        ),
    },
    post('/reset', () => {
      faults.script.clear()
      requests.clear()
      vended.reset()
      return {}
    }),
  ]
}

export function post(path: string, run: (body: unknown) => object | Promise<object>): ControlRoute {
  return { method: 'POST', path, run: async ({ body }) => ({ status: 200, body: await run(body) }) }
}

export function listed(data: readonly unknown[]) {
  return { status: 200, body: { data, next_cursor: null, has_more: false } }
}
