/** Declares the tests of a crawl: each route keeps every rule that concerns it. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Caller, Stage } from './crawl.ts'
import { undocumented, type ApiDocument } from './document.ts'
import type { Ground } from './ground.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'
import { targetOf, type Target } from './target.ts'
import { openVisit, type Visit } from './visit.ts'

type Closing = Stage & { close(): Promise<void> }

/** The assertions are the rule's own. */
function expectKept(rule: Rule, visit: Visit): Promise<void> {
  return rule.check(visit)
}

/** Answers what is crawled. The world is closed at the end of the file. */
export function crawlRoutes<W extends Closing, P extends Caller>(ground: Ground<W, P>): Target[] {
  const { world, crawl, declared_in } = ground
  afterAll(() => world.close())
  const targets = ground.routes.map(one => targetOf(one, ground))
  describe.concurrent.for(targets.map(target => [target.operation, target] as const))(
    '%s',
    ([, target]) => {
      const visit = openVisit(ground, target)
      const concerned = rules.filter(one => one.exempt(target) === null)
      test.for(concerned.map(rule => [rule.name, rule] as const))('%s', ([, rule]) =>
        expectKept(rule, visit),
      )
      // Last, and after the others: they read what those were answered.
      test('it never failed', { concurrent: false }, () => {
        expect(visit.seen.length).toBeGreaterThan(0)
        expect(visit.seen.filter(one => one.status === 500)).toEqual([])
      })
      test('every code that it answered is documented', { concurrent: false }, () => {
        const document = JSON.parse(world.platform.document()) as ApiDocument
        expect(undocumented(document, target, visit.seen)).toEqual([])
      })
    },
  )
  test(`everything in ${declared_in} belongs to a route`, () => {
    const named = new Set(targets.flatMap(({ params }) => params.map(({ at }) => at)))
    expect(Object.keys(crawl.subjects ?? {}).filter(at => !named.has(at))).toEqual([])
    const operations = new Set(targets.map(one => one.operation))
    expect(Object.keys(crawl.recipes ?? {}).filter(one => !operations.has(one))).toEqual([])
  })
  return targets
}
