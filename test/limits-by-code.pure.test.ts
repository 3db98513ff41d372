/** A limit that is reached is 429 in every surface, because waiting or removing something helps. */
import { expect, test } from 'vitest'
import { composition } from '../src/platform.ts'
import { gather } from '../src/runtime/gather-declarations.ts'

/** The request itself asks for too much, and no time makes it possible. */
const for_good = new Set([
  'too_many_edits',
  'too_many_recipients',
  'too_many_access_lists',
  'too_many_tags',
  'quantity_limit',
  'cart_line_limit',
  'order_total_limit',
])

test('every code of a limit has the status 429', () => {
  const { catalog } = gather(composition.surfaces)
  const limits = [...catalog].filter(
    ([code]) => /limit|too_many|cooldown|quota_exceeded/.test(code) && !for_good.has(code),
  )
  expect(limits.length).toBeGreaterThan(5)
  expect(limits.filter(([, { status }]) => status !== 429).map(([code]) => code)).toEqual([])
})
