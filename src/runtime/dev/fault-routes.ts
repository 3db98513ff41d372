/** Sets and lists the fault points of this one process; other processes keep their own. */
import { Type } from 'typebox'
import { isFaultAction, type FaultRule, type Faults } from '../../kernel/faults.ts'
import { problem } from '../../kernel/errors/problem.ts'
import { reply, route, type Route } from '../../kernel/http/route.ts'
import { closed, count, nullable, page } from '../../kernel/http/shapes.ts'

const FaultView = Type.Object({
  point: Type.String(),
  action: Type.String(),
  times: nullable(Type.Integer()),
  skip: Type.Integer(),
  passed: Type.Integer(),
})

const NewFault = closed({
  point: Type.String({ pattern: '^[a-z0-9_.]+$', minLength: 1, maxLength: 200 }),
  action: Type.String({ pattern: '^(kill|throw|hang|delay:[0-9]{1,6})$', maxLength: 20 }),
  times: Type.Optional(count(1, 1_000_000)),
  skip: Type.Optional(count(0, 1_000_000)),
})

const common = { permission: 'public', hidden: true, added: true } as const

export function faultRoutes(faults: Faults): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dev/faults',
      summary: 'Fault points that are set in this process',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 200: page(FaultView) },
      handle: async () =>
        reply(200, { data: faults.list().map(view), next_cursor: null, has_more: false }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dev/faults',
      summary: 'Sets a fault point in this process',
      transaction: 'own',
      idempotency: 'ignored',
      body: NewFault,
      replies: { 201: FaultView },
      handle: async ({ body: { point, action, times, skip } }) => {
        if (!isFaultAction(action)) throw problem('validation_failed')
        faults.set({ point, action, times, skip })
        return reply(201, { point, action, times: times ?? null, skip: skip ?? 0, passed: 0 })
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/dev/faults',
      summary: 'Clears all fault points of this process',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 204: null },
      handle: async () => {
        faults.clear()
        return reply(204, null)
      },
    }),
  ]
}

function view({ point, action, times, skip, passed }: FaultRule) {
  return { point, action, times, skip, passed }
}
