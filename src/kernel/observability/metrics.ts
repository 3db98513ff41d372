/**
 * The metrics of the platform, in Prometheus' format. The values of labels are bounded: route
 * templates, statuses, classes and consumer names, never ids, tenants or paths.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { RequestDurations } from './request-durations.ts'

export type Metrics = ReturnType<typeof openMetrics>

export function openMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new RequestDurations()
  registry.registerMetric(requests as unknown as Histogram)
  return {
    registry,
    requests,
    idempotency: new Counter({
      name: 'idempotency_total',
      help: 'Keyed requests by their result',
      labelNames: ['result'],
      registers,
    }),
    poolWait: new Histogram({
      name: 'db_pool_wait_seconds',
      help: 'Wait for a free database connection',
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2],
      registers,
    }),
    refused: new Counter({
      name: 'http_requests_refused_total',
      help: 'Requests refused because this process is overloaded or stops',
      labelNames: ['reason', 'class'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'rate_limited_total',
      help: 'Requests refused by a rate limit',
      labelNames: ['class'],
      registers,
    }),
    deprecatedCalls: new Counter({
      name: 'api_deprecated_calls_total',
      help: 'Calls of deprecated operations, and calls that use a deprecated member',
      labelNames: ['op', 'member'],
      registers,
    }),
    outboxPending: new Gauge({
      name: 'outbox_pending',
      help: 'Committed events without a position yet',
      registers,
    }),
    outboxOldest: new Gauge({
      name: 'outbox_oldest_seconds',
      help: 'Age of the oldest event without a position',
      registers,
    }),
    consumerLag: new Gauge({
      name: 'consumer_lag_seconds',
      help: 'Events that a consumer has not handled yet',
      labelNames: ['consumer'],
      registers,
    }),
    eventParks: new Gauge({
      name: 'event_parks',
      help: 'Parked aggregates by consumer and state',
      labelNames: ['consumer', 'state'],
      registers,
    }),
  }
}
