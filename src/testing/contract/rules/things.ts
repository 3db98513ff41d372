/**
 * Resources in a path: malformed, unknown and foreign ids get the same reply; versions; deletion.
 */
import { deepEqual, match, ok } from 'node:assert/strict'
import { newId } from '#dodeca/kernel'
import { isConditional } from '../../../kernel/http/contract/route.ts'
import { expectProblem, onlyWith, pointersOf, type Rule } from '../rule.ts'
import type { Target } from '../target.ts'
import type { Visit } from '../visit.ts'

/** Each id of the path in turn is replaced by one that stands for nothing. */
async function expectAbsent(visit: Visit, params: Target['params'], other: string | null) {
  const { target, send, refused, subject } = visit
  for (const { name, at } of params) {
    const request = await refused()
    const id = other ?? (await subject(at, 'stranger'))
    const answer = await send(request, { params: { ...request.params, [name]: id } })
    const code = target.route.absent ?? 'not_found'
    expectProblem(answer, answer.entry?.status ?? 404, code)
  }
}

const ownedIds = ({ params }: Target) => params.filter(one => one.id && !one.shared)

export const things: readonly Rule[] = [
  {
    name: 'every parameter of the path has a subject',
    exempt: ({ params }) => (params.length > 0 ? null : 'its path names nothing'),
    check: async ({ target, subject }) => {
      for (const { at } of target.params) match(await subject(at), /^[\x21-\x7e]+$/)
    },
  },
  {
    name: 'a malformed id is 404',
    exempt: onlyWith.id,
    check: async visit => {
      const ids = visit.target.params.filter(one => one.id)
      for (const id of ['nonsense', newId().slice(1), `${newId()}0`]) {
        await expectAbsent(visit, ids, id)
      }
    },
  },
  {
    name: 'an unknown id is 404',
    exempt: onlyWith.id,
    check: visit =>
      expectAbsent(
        visit,
        visit.target.params.filter(one => one.id),
        newId(),
      ),
  },
  {
    name: "a foreign tenant's id is 404",
    exempt: target => (ownedIds(target).length > 0 ? null : 'its path names nothing that is owned'),
    check: visit => expectAbsent(visit, ownedIds(visit.target), null),
  },
  {
    name: 'a person of another tenant gets nothing by it',
    exempt: target =>
      onlyWith.credential(target) ??
      (ownedIds(target).length > 0 ? null : 'its path names nothing that is owned'),
    check: async ({ send, refused, stranger }) => {
      const answer = await send(await refused(), { token: (await stranger()).token })
      ok([401, 403, 404].includes(answer.status), answer.text)
    },
  },
  {
    name: 'a tag that is current is 304, and one that is stale is 412',
    exempt: ({ route, params }) =>
      params.length > 0 && (route.method === 'GET' || route.fails?.includes('precondition_failed'))
        ? null
        : 'it reads or changes no version',
    check: async ({ target, send, refused, valid }) => {
      if (target.route.method !== 'GET') {
        const request = await refused()
        // The second is the number of the first version, but not its tag.
        for (const tag of ['"999999"', '"1e0"']) {
          const headers = { ...request.headers, 'if-match': tag }
          const answer = await send(request, { headers })
          expectProblem(answer, 412, 'precondition_failed')
          match(String(answer.headers.etag), /^"\d+"$/)
        }
        return
      }
      const request = await valid()
      const { etag } = (await send(request)).headers
      if (!etag) return
      match(etag, /^"[^"]+"$/)
      const fresh = await send(request, { headers: { 'if-none-match': etag } })
      deepEqual([fresh.status, fresh.text, fresh.headers.etag], [304, '', etag])
    },
  },
  {
    name: 'a version that it does not compare is refused',
    exempt: target => {
      const { method, foreign_query } = target.route
      if (method === 'GET' || foreign_query) return 'it changes nothing of which a version was read'
      return method === 'PUT' && isConditional(target.route) ? 'it compares both headers' : null
    },
    check: async ({ target, send, refused }) => {
      const name = isConditional(target.route) ? 'if-none-match' : 'if-match'
      const request = await refused()
      const answer = await send(request, { headers: { ...request.headers, [name]: '"1"' } })
      expectProblem(answer, 422, 'unsupported_field')
      deepEqual(pointersOf(answer, 'header'), [`/${name}`])
    },
  },
  {
    name: 'DELETE is 204, and 204 again',
    exempt: ({ route, ends_caller }) => {
      if (route.method !== 'DELETE') return 'it deletes nothing'
      return ends_caller ? 'it ends the session of its caller' : null
    },
    check: async ({ send, valid }) => {
      const request = await valid()
      for (const answer of [await send(request), await send(request)]) {
        deepEqual([answer.status, answer.text], [204, ''])
      }
    },
  },
]
