/** Creates the parts of the redirect: the interceptor, its route, and the loops. */
import { Counter } from 'prom-client'
import type { Front, Loop, Route } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Asking } from './asking.ts'
import { FastAnswers } from './fast-answers.ts'
import { openForgetting } from '../cache/forget-changes.ts'
import { openFront } from './front.ts'
import { openMisses } from './misses.ts'
import { redirectRoutes } from './routes.ts'

export type Redirecting = {
  readonly front: Front
  readonly routes: readonly Route[]
  readonly loops: readonly Loop[]
}

export function openRedirecting(deps: Deps): Redirecting {
  const { kernel, platform, reserved, node } = deps
  const asking = new Asking(kernel)
  const misses = openMisses(kernel)
  const fast = new FastAnswers({ ...node, kernel, misses, asking })
  count(deps, fast)
  return {
    front: openFront({
      ...node,
      kernel,
      misses,
      asking,
      fast,
      isReserved: code => reserved.has(code),
      shortUrl: (host, code) =>
        host.custom ? `https://${host.hostname}/${code}` : platform.shortUrl(code),
    }),
    routes: redirectRoutes(node),
    loops: [{ name: 'links.changes', every_ms: 600_000, run: openForgetting(kernel) }],
  }
}

/**
 * Computed when the metrics are read, because updating a counter would make each redirect a tenth
 * slower.
 */
function count({ kernel, node }: Pick<Deps, 'kernel' | 'node'>, fast: FastAnswers): void {
  const registers = [kernel.metrics.registry]
  const gauge = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  gauge('links_fast_redirects_total', 'Redirects from memory', () => fast.redirects)
  gauge('links_fast_absent_total', 'Unknown codes refused from memory', () => fast.absent)
  gauge('links_reads_total', 'Codes looked up in the database', () => node.memory.reads)
  gauge('links_clicks_total', 'Clicks taken', () => node.recorder.counts().taken)
  gauge(
    'links_clicks_lost_total',
    'Clicks that no spool could take',
    () => node.recorder.counts().lost,
  )
}
