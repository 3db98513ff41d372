/**
 * The conformance crawler: every route that exists, of the kernel and of every surface, keeps every rule
 * that concerns it. A new route is crawled without a line here; only what its path names and what its
 * request must say beyond its schema are told in crawler/subjects.ts.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { undocumented, type ApiDocument } from './crawler/document.ts'
import type { Rule } from './crawler/rule.ts'
import { rules } from './crawler/rules.ts'
import { recipes, subjects } from './crawler/subjects.ts'
import { targetOf } from './crawler/target.ts'
import { openVisit, type Visit } from './crawler/visit.ts'
import { openWorld } from './world.ts'

// The routes are known once a platform stands, and each of them is a test: so it stands first. A busy
// machine is no reason to refuse the crawler.
const world = await openWorld({ KERNEL_OVERLOAD_DELAY_MS: '60000' })
afterAll(() => world.close())

/** The inbox shows what the sandbox received, which does not run here; its own tests crawl with it. */
const outside = /^\/dev\/inbox/

const { routes } = world.platform
const targets = routes.filter(one => !outside.test(one.path)).map(one => targetOf(one, routes))

/** The assertions are the rule's own. */
function expectKept(rule: Rule, visit: Visit): Promise<void> {
  return rule.check(visit)
}

describe.concurrent.for(targets.map(target => [target.operation, target] as const))(
  '%s',
  ([, target]) => {
    const visit = openVisit(world, target)
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

describe('the crawl itself', () => {
  test.for(rules.map(rule => [rule.name, rule] as const))('a route keeps: %s', ([, rule]) => {
    expect(targets.filter(one => rule.exempt(one) === null)).not.toEqual([])
  })

  test('no two rules have one name', () => {
    expect(new Set(rules.map(one => one.name)).size).toBe(rules.length)
  })

  test('every subject and every recipe belongs to a route', () => {
    const named = new Set(targets.flatMap(({ params }) => params.map(({ at }) => at)))
    expect(Object.keys(subjects).filter(at => !named.has(at))).toEqual([])
    const operations = new Set(targets.map(one => one.operation))
    expect(Object.keys(recipes).filter(one => !operations.has(one))).toEqual([])
  })
})
