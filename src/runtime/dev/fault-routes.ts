/** Sets and lists the fault points of this process. Other processes have their own. */
import { Type } from 'typebox'
import { isFaultAction, type FaultRule, type Faults } from '../../kernel/faults.ts'
import { closed, count, Id, nullable, pageOf, problem, reply, route } from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'

const FaultView = Type.Object({
  point: Type.String(),
  action: Type.String(),
  times: nullable(Type.Integer()),
  skip: Type.Integer(),
  passed: Type.Integer(),
  match: nullable(Id),
})
const Point = Type.Object({ point: Type.String() })

const NewFault = closed({
  point: Type.String({ pattern: '^[a-z0-9_.]+$', minLength: 1, maxLength: 200 }),
  action: Type.String({ pattern: '^(kill|throw|hang|hold|delay:[0-9]{1,6})$', maxLength: 20 }),
  times: Type.Optional(count(1, 1_000_000)),
  skip: Type.Optional(count(0, 1_000_000)),
  /** A tenant, or the id of a resource in a request or an event. */
  match: Type.Optional(Id),
})

const common = { permission: 'public', hidden: true, added: true } as const

export function faultRoutes(faults: Faults, points: () => readonly string[]): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dev/fault-points',
      summary: 'All fault points that exist',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 200: Type.Object({ data: Type.Array(Point) }) },
      handle: async () => reply(200, { data: points().map(point => ({ point })) }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/dev/faults',
      summary: 'Fault points that are set in this process',
      transaction: 'own',
      idempotency: 'ignored',
      replies: { 200: pageOf(FaultView) },
      handle: async () =>
        reply(200, { data: faults.list().map(view), next_cursor: null, has_more: false }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dev/faults',
      summary: 'Set a fault point in this process',
      transaction: 'own',
      idempotency: 'ignored',
      body: NewFault,
      replies: { 201: FaultView },
      handle: async ({ body: { point, action, times, skip, match } }) => {
        if (!isFaultAction(action)) throw problem('validation_failed')
        if (!points().includes(point)) throw unknownPoint(point)
        faults.set({ point, action, times, skip, match })
        const set = { point, action, times: times ?? null, skip: skip ?? 0, passed: 0 }
        return reply(201, { ...set, match: match ?? null })
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/dev/faults',
      summary: 'Clear all fault points of this process',
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

function unknownPoint(point: string) {
  return problem('validation_failed', {
    detail: `There is no fault point ${point}. GET /dev/fault-points lists all of them.`,
    errors: [{ location: 'body', pointer: '/point', constraint: 'enum' }],
  })
}

function view({ point, action, times, skip, passed, match }: FaultRule) {
  return { point, action, times, skip, passed, match }
}
