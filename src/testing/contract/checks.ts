/**
 * The rules of the contract for each route, as checks that any test runner runs, one after another:
 * the last ones of a route read what it answered to the others.
 */
import { deepEqual, ok } from 'node:assert/strict'
import type { Caller, Stage } from './crawl.ts'
import { undocumented, type ApiDocument } from './document.ts'
import type { Ground } from './ground.ts'
import { rules } from './rules.ts'
import { targetOf, type Target } from './target.ts'
import { openVisit } from './visit.ts'

export type Check = { readonly name: string; run(): Promise<void> }

/** `ending` reads what the route answered to the others, so it runs after them. */
export type RouteChecks = {
  readonly target: Target
  readonly checks: readonly Check[]
  readonly ending: readonly Check[]
}

export function checksOf<W extends Stage, P extends Caller>(ground: Ground<W, P>): RouteChecks[] {
  return ground.routes.map(route => {
    const target = targetOf(route, ground)
    const visit = openVisit(ground, target)
    const concerned = rules.filter(one => one.exempt(target) === null)
    return {
      target,
      checks: concerned.map(({ name, check }) => ({ name, run: () => check(visit) })),
      ending: [
        {
          name: 'it never failed',
          run: async () => {
            ok(visit.seen.length > 0)
            deepEqual(
              visit.seen.filter(one => one.status === 500),
              [],
            )
          },
        },
        {
          name: 'every code that it answered is documented',
          run: async () => {
            const document = JSON.parse(ground.world.platform.document()) as ApiDocument
            deepEqual(undocumented(document, target, visit.seen), [])
          },
        },
      ],
    }
  })
}

/** Everything that was declared belongs to a route. */
export function unused<W extends Stage, P extends Caller>(
  { crawl }: Ground<W, P>,
  targets: readonly Target[],
): string[] {
  const named = new Set(targets.flatMap(({ params }) => params.map(({ at }) => at)))
  const operations = new Set(targets.map(one => one.operation))
  return [
    ...Object.keys(crawl.subjects ?? {}).filter(at => !named.has(at)),
    ...Object.keys(crawl.recipes ?? {}).filter(one => !operations.has(one)),
  ]
}
