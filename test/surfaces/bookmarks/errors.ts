/** The refusals of bookmarks. A bookmark of another owner gets the same refusal as a missing one. */
import { problemsOf } from '../../../src/kernel/errors/problem.ts'

export const errors = {
  bookmark_not_found: {
    status: 404,
    title: 'There is no such bookmark',
    cause: 'No bookmark has this id, or it is not yours.',
    cure: 'Find the id with `GET /v1/bookmarks`.',
  },
} as const

export const problem = problemsOf(errors)
