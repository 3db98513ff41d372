/** Messages that arrive together share a commit, and fail alone. */
import { expect, test } from 'vitest'
import { shareCommits } from '../shared-commits.ts'

test('what arrives while commits are under way is stored by the next one, in one', async () => {
  const commits: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const store = shareCommits<number>(items => {
    commits.push(items)
    return new Promise(resolve => void ends.push(resolve))
  })
  const all = Promise.all([1, 2, 3, 4, 5, 6].map(one => store([one])))
  expect(commits).toEqual([[1], [2], [3]])
  ends[0]?.()
  await expect.poll(() => commits).toEqual([[1], [2], [3], [4, 5, 6]])
  for (const end of ends) end()
  await all
})

test('one that fails in a shared commit does not fail the others', async () => {
  const stored: number[] = []
  let first = true
  const store = shareCommits<number>(async items => {
    if (first) {
      first = false
      await Promise.resolve()
      return
    }
    if (items.includes(4)) throw new Error('bad')
    stored.push(...items)
  })
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(one => store([one])))
  expect(outcomes.map(one => one.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(new Set(stored)).toEqual(new Set([2, 3, 5]))
})
