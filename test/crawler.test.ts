/**
 * The conformance crawler on the small surfaces that prove the kernel: every route keeps every rule that
 * concerns it, and every rule concerns a route. The product is crawled by the same rules:
 * `product-crawler.test.ts` and each surface's `test/crawl.test.ts`.
 */
import { describe, expect, test } from 'vitest'
import { crawlRoutes } from './crawler/crawl-routes.ts'
import { rules } from '../src/testing/contract/rules.ts'
import { smallSurfaces } from './crawler/small-surfaces.ts'

// The routes are known once a platform stands, and each of them is a test: so it stands first.
const targets = crawlRoutes(await smallSurfaces())

describe('the crawl itself', () => {
  test.for(rules.map(rule => [rule.name, rule] as const))('a route keeps: %s', ([, rule]) => {
    expect(targets.filter(one => rule.exempt(one) === null)).not.toEqual([])
  })

  test('no two rules have one name', () => {
    expect(new Set(rules.map(one => one.name)).size).toBe(rules.length)
  })
})
