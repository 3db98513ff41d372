/**
 * How long requests take, by method, route and status, in the form of a histogram of prom-client.
 * Its own histogram makes a text of all labels for each value, which costs as much as the whole
 * checks of a request.
 */
const name = 'http_server_request_duration_seconds'
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Labels = { readonly method: string; readonly route: string; readonly status: number }
/** A count for each bound, and one for the values above the last bound. */
type Series = { readonly labels: Labels; readonly counts: number[]; sum: number }

export class RequestDurations {
  readonly name = name
  private readonly byRoute = new Map<string, Map<string, Map<number, Series>>>()

  observe(labels: Labels, seconds: number): void {
    const series = this.seriesOf(labels)
    let place = 0
    while (place < bounds.length && seconds > (bounds[place] as number)) place++
    series.counts[place] = (series.counts[place] ?? 0) + 1
    series.sum += seconds
  }

  /** Called by the registry. */
  get() {
    const all = [...this.byRoute.values()].flatMap(one => [...one.values()])
    return Promise.resolve({
      name,
      help: 'Time from the request to the end of the response',
      type: 'histogram' as const,
      aggregator: 'sum' as const,
      values: all.flatMap(one => [...one.values()]).flatMap(valuesOf),
    })
  }

  private seriesOf(labels: Labels): Series {
    const { route, method, status } = labels
    const byMethod = entryOf(this.byRoute, route, () => new Map<string, Map<number, Series>>())
    const byStatus = entryOf(byMethod, method, () => new Map<number, Series>())
    return entryOf(byStatus, status, () => ({ labels, counts: bounds.map(() => 0), sum: 0 }))
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

function valuesOf({ labels, counts, sum }: Series) {
  let count = 0
  const buckets = [...bounds, '+Inf' as const].map((le, place) => {
    count += counts[place] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
