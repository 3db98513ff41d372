/** Declares the tests of a crawl: each route keeps every rule that concerns it. */
import { afterAll, describe, expect, test } from 'vitest'
import { checksOf, unused, type Check } from '../../src/testing/contract/checks.ts'
import type { Caller, Stage } from '../../src/testing/contract/crawl.ts'
import type { Ground } from '../../src/testing/contract/ground.ts'
import type { Target } from '../../src/testing/contract/target.ts'

type Closing = Stage & { close(): Promise<void> }

/** The assertions are the rule's own. */
function expectKept({ run }: Check): Promise<void> {
  return run()
}

/** Answers what is crawled. The world is closed at the end of the file. */
export function crawlRoutes<W extends Closing, P extends Caller>(ground: Ground<W, P>): Target[] {
  afterAll(() => ground.world.close())
  const all = checksOf(ground)
  const targets = all.map(({ target }) => target)
  describe.concurrent.for(all.map(one => [one.target.operation, one] as const))(
    '%s',
    ([, { checks, ending }]) => {
      test.for(checks.map(one => [one.name, one] as const))('%s', ([, one]) => expectKept(one))
      // Last, and after the others: they read what those were answered.
      for (const one of ending)
        test(`after all: ${one.name}`, { concurrent: false }, () => expectKept(one))
    },
  )
  test(`everything in ${ground.declared_in} belongs to a route`, () => {
    expect(unused(ground, targets)).toEqual([])
  })
  return targets
}
