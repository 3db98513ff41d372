/**
 * Reports three things: whether this process is alive, whether it should get work, and its metrics.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import type { Metrics } from '../../kernel/observability/metrics.ts'
import type { Member } from '../processes/member.ts'
import { isLoopback, problem, reply, route, type Route } from '#dodeca/kernel'

export type HealthDeps = {
  readonly profile: 'development' | 'production'
  readonly metrics: Metrics
  /** A bearer token that reads the metrics without an account, or null. */
  readonly metrics_key: string | null
  /** Updates the metrics that must be measured. */
  measure(): Promise<void>
  /** The checks of readiness. Each one completes within a second. */
  ready(): Promise<Record<string, boolean>>
  /** Set if this process is one of several. Then the metrics contain all processes. */
  readonly member?: Member | undefined
}

const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
    checks: Type.Record(Type.String(), Type.Boolean()),
  },
  { title: 'Readiness' },
)

export function healthRoutes(deps: HealthDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      name: 'getHealth',
      summary: 'Check that the process is alive',
      description: 'Returns 200 while the process runs, also while it shuts down.',
      permission: 'public',
      foreign_query: true,
      always: true,
      added: true,
      replies: { 200: Type.Object({ status: Type.Literal('ok') }) },
      handle: () => reply(200, { status: 'ok' as const }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      name: 'getReadiness',
      summary: 'Check that the process is ready for requests',
      description: 'A load balancer should send requests only to processes that return 200.',
      permission: 'public',
      foreign_query: true,
      always: true,
      added: true,
      replies: { 200: Readiness, 503: Readiness },
      handle: async () => {
        const checks = await deps.ready()
        const ready = Object.values(checks).every(Boolean)
        return ready
          ? reply(200, { status: 'ready' as const, checks })
          : reply(503, { status: 'not_ready' as const, checks })
      },
    }),
    metricsRoute(deps),
  ]
}

/**
 * In development only this machine can read the metrics. In production a caller needs the
 * permission, or the key of the metrics, which opens nothing else.
 */
function metricsRoute(deps: HealthDeps): Route {
  const { profile, metrics, measure, member } = deps
  const common = {
    method: 'GET',
    path: '/metrics',
    name: 'getMetrics',
    summary: 'Get metrics in the Prometheus text format',
    added: true,
    foreign_query: true,
    produces: ['text/plain'],
    replies: { 200: Type.String() },
  } as const
  const { registry } = metrics
  const own = async () => {
    await measure()
    return await registry.metrics()
  }
  const text = async () =>
    reply(200, await (member ? member.allMetrics() : own()), {
      'content-type': registry.contentType,
    })
  if (profile === 'production') {
    const { metrics_key: key } = deps
    const opens = key === null ? {} : { opensWith: (token: string) => isSame(token, key) }
    return route({ ...common, permission: 'kernel.metrics.read', ...opens, handle: text })
  }
  return route({
    ...common,
    permission: 'public',
    fails: ['not_found'],
    handle: ({ request }) => {
      if (!isLoopback(request.ip)) throw problem('not_found')
      return text()
    },
  })
}

/** The time depends neither on the place of the first difference nor on the lengths. */
function isSame(token: string, key: string): boolean {
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', key, 'buffer'))
}
