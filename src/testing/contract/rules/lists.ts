/**
 * Lists: the shape of a page, the bounds of `limit`, and cursors that cannot be forged or used for
 * another list.
 */
import { deepEqual, equal, match, notDeepEqual, ok } from 'node:assert/strict'
import { expectProblem, onlyWith, pointersOf, type Rule } from '../rule.ts'
import type { CheckedAnswer, Visit } from '../visit.ts'

/** Two rows where the same path creates them, so that a page of one row has a next. */
async function fill({ target, beside }: Visit): Promise<void> {
  const create = beside('POST', target.route.path)
  if (!create) return
  for (let n = 0; n < 2; n++) await create.send(await create.valid())
}

async function askFor(visit: Visit, query: Record<string, string>): Promise<CheckedAnswer> {
  const request = await visit.valid()
  return visit.send(request, { query: { ...request.query, ...query } })
}

export const lists: readonly Rule[] = [
  {
    name: 'a list is a page, and its cursor leads to other rows',
    exempt: onlyWith.pages,
    check: async visit => {
      await fill(visit)
      const first = await askFor(visit, { limit: '1' })
      equal(first.status, 200)
      const { data, next_cursor, has_more } = first.body
      // What a list says beside it is in the schema of its route.
      for (const name of ['data', 'has_more', 'next_cursor']) ok(name in first.body, name)
      ok(data.length <= 1)
      if (!has_more) {
        deepEqual([next_cursor, first.headers.link], [null, undefined])
        return
      }
      match(String(next_cursor), /^[\w-]+$/)
      match(String(first.headers.link), /^<\/[^>]+>; rel="next"$/)
      ok(String(first.headers.link).includes(`cursor=${next_cursor}`))
      const second = await askFor(visit, { limit: '1', cursor: next_cursor })
      deepEqual([second.status, second.body.data.length], [200, 1])
      notDeepEqual(second.body.data, data)
    },
  },
  {
    name: 'a limit out of bounds is 422',
    exempt: onlyWith.pages,
    check: async visit => {
      // A feed from which a device catches up has longer pages than other lists.
      const bounds = visit.target.route.query?.properties['limit'] as { maximum?: number }
      ok([100, 500].includes(Number(bounds.maximum)))
      const above = String(Number(bounds.maximum) + 1)
      for (const limit of ['0', above, '-1', '1.5', 'many', '0x10', '1e1', ' 5', '+5', '']) {
        const answer = await askFor(visit, { limit })
        expectProblem(answer, 422, 'validation_failed')
        ok(pointersOf(answer, 'query').includes('/limit'))
      }
    },
  },
  {
    name: 'a cursor that was made up or belongs to another list is 400',
    exempt: onlyWith.pages,
    check: async visit => {
      for (const cursor of ['garbage', 'AQ', 'x'.repeat(200), '..', '%']) {
        expectProblem(await askFor(visit, { cursor }), 400, 'invalid_cursor')
      }
      const limits = visit.beside('GET', '/v1/limits')
      const other = visit.target.operation === limits?.target.operation ? '/problems' : '/v1/limits'
      const list = visit.beside('GET', other)
      if (!list) throw new Error(`there is no ${other}`)
      const borrowed = await askFor(list, { limit: '1' })
      const cursor = String(borrowed.body.next_cursor)
      expectProblem(await askFor(visit, { cursor }), 400, 'invalid_cursor')
    },
  },
]
