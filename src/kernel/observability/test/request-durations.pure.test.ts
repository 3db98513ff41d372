/** The durations of requests in the format of Prometheus. The histogram of prom-client is the oracle. */
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openMetrics } from '../metrics.ts'

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const observed = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/v1/jobs', '/v1/jobs/{job_id}', 'none'),
  status: fc.constantFrom(200, 404),
  // Quarters have an exact sum, and are on and between the bounds.
  seconds: fc.oneof(
    fc.constantFrom(0, 0.25, 0.5, 1, 2.5, 10),
    fc.nat(50).map(n => n / 4),
  ),
})

test('durations of requests are shown as by the histogram of prom-client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observed), async all => {
      const { registry, requests } = openMetrics()
      const other = new Registry()
      const histogram = new Histogram({
        name: requests.name,
        help: 'Time from the request to the end of the response',
        labelNames: ['method', 'route', 'status'],
        buckets,
        registers: [other],
      })
      for (const { seconds, ...labels } of all) {
        requests.observe(labels, seconds)
        histogram.observe(labels, seconds)
      }
      const text = await registry.getSingleMetricAsString(requests.name)
      const expected = await other.getSingleMetricAsString(requests.name)
      expect(text.split('\n').sort()).toEqual(expected.split('\n').sort())
    }),
  )
})
