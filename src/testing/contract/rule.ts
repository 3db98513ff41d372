/**
 * A rule is one promise that every route keeps, or that cannot concern it; then its predicate says why.
 * Refusals are asserted through `expectProblem`, so that each of them proves the problem's shape too.
 */
import { deepEqual, equal, match } from 'node:assert/strict'
import type { Target } from './target.ts'
import type { CheckedAnswer, Visit } from './visit.ts'

export type Rule = {
  readonly name: string
  /** Why it cannot concern this route, or null where it does. */
  exempt(target: Target): string | null
  check(visit: Visit): Promise<void>
}

export const id_form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function expectProblem(answer: CheckedAnswer, status: number, code: string): void {
  deepEqual([answer.status, answer.body?.code], [status, code], answer.text)
  match(String(answer.headers['content-type']), /^application\/problem\+json(; charset=utf-8)?$/)
  const { type, title, detail, instance, request_id } = answer.body
  match(String(type), new RegExp(`^https?://[^/]+/problems/${code}$`))
  deepEqual([title, answer.body.status], [answer.entry?.title, answer.entry?.status])
  match(String(detail), /\.$/)
  match(String(instance), /^\//)
  match(String(request_id), id_form)
  equal(answer.headers['x-request-id'], answer.body.request_id)
}

/** Pointers of the errors of one location. */
export function pointersOf(answer: CheckedAnswer, location: string): string[] {
  const errors = (answer.body?.errors ?? []) as { location: string; pointer: string }[]
  return errors.filter(one => one.location === location).map(one => one.pointer)
}

export const onlyWith = {
  pipeline: ({ route }: Target) => (route.fronted ? 'it is answered before the pipeline' : null),
  negotiation: ({ route }: Target) =>
    route.produces?.includes('*/*') ? 'it answers any Accept header' : null,
  json: ({ takes_json, takes_body }: Target) => {
    if (!takes_body) return 'its method takes no body'
    return takes_json ? null : 'it takes bytes of any type'
  },
  guard: ({ guarded }: Target) => (guarded ? null : 'it is public'),
  credential: ({ guarded, bearer }: Target) => (guarded || bearer ? null : 'it is public'),
  id: ({ params }: Target) => (params.some(one => one.id) ? null : 'its path names no id'),
  key: ({ keyed }: Target) => (keyed ? null : 'the kernel keeps no record of it'),
  members: ({ body }: Target) =>
    Object.keys(body?.properties ?? {}).length > 0 ? null : 'its body has no members',
  pages: ({ pages }: Target) => (pages ? null : 'it does not answer with pages'),
}
