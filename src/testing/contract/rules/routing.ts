/** Methods and representations: 405 with Allow, OPTIONS, 406, and HEAD as GET without its body. */
import { deepEqual, equal } from 'node:assert/strict'
import { onlyReads } from '../../../kernel/http/contract/route.ts'
import { newId } from '#dodeca/kernel'
import { expectProblem, onlyWith, type Rule } from '../rule.ts'
import type { Target } from '../target.ts'
import type { Request } from '../visit.ts'

/** No request names an existing resource: the path alone decides. */
function plain({ route, params }: Target): Request {
  return {
    method: route.method,
    params: Object.fromEntries(params.map(({ name }) => [name, newId()])),
    query: {},
    body: null,
    headers: {},
    token: null,
    key: null,
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export const routing: readonly Rule[] = [
  {
    name: 'a method that the path lacks is 405 with Allow',
    exempt: ({ allow }) =>
      methods.every(one => allow.includes(one)) ? 'it has all methods' : null,
    check: async ({ target, send }) => {
      for (const method of methods.filter(one => !target.allow.includes(one))) {
        const answer = await send(plain(target), { method })
        deepEqual([method, answer.status], [method, 405])
        equal(answer.headers.allow, target.allow.join(', '))
        if (method !== 'HEAD') expectProblem(answer, 405, 'method_not_allowed')
      }
    },
  },
  {
    name: 'a wrong method is 405 before the body is read',
    exempt: ({ allow }) =>
      ['POST', 'PUT', 'PATCH'].every(one => allow.includes(one)) ? 'it has all methods' : null,
    check: async ({ target, send }) => {
      const method = ['POST', 'PUT', 'PATCH'].find(one => !target.allow.includes(one)) ?? ''
      const bytes = Buffer.from('no JSON')
      for (const type of ['text/plain', 'application/json']) {
        const headers = { 'content-type': type }
        const answer = await send(plain(target), { method, headers, bytes })
        expectProblem(answer, 405, 'method_not_allowed')
      }
    },
  },
  {
    name: 'OPTIONS is 204 with Allow',
    exempt: () => null,
    check: async ({ target, send }) => {
      const answer = await send(plain(target), { method: 'OPTIONS' })
      deepEqual([answer.status, answer.text], [204, ''])
      equal(answer.headers.allow, target.allow.join(', '))
    },
  },
  {
    name: 'a representation that does not exist is 406',
    exempt: onlyWith.negotiation,
    check: async ({ send, refused }) => {
      const request = await refused()
      const headers = { ...request.headers, accept: 'application/x-nothing' }
      expectProblem(await send(request, { headers }), 406, 'not_acceptable')
    },
  },
  {
    name: 'HEAD is GET without its body',
    exempt: target =>
      onlyReads(target.route) ? onlyWith.pipeline(target) : 'it is not a GET that only reads',
    check: async ({ send, valid }) => {
      const request = await valid()
      const get = await send(request)
      const head = await send(request, { method: 'HEAD' })
      deepEqual([head.status, head.text], [get.status, ''])
      for (const name of ['content-type', 'cache-control']) {
        deepEqual([name, head.headers[name]], [name, get.headers[name]])
      }
      // Counters, times and lists move between two looks; where nothing moved, all is the same.
      const again = await send(request)
      if (again.text !== get.text) return
      deepEqual(Object.keys(head.headers).sort(), Object.keys(get.headers).sort())
      for (const name of ['content-length', 'etag', 'link']) {
        deepEqual([name, head.headers[name]], [name, get.headers[name]])
      }
    },
  },
]
