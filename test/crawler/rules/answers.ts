/** What every answer carries, be it a success or a refusal, and what none of them tells. */
import { expect } from 'vitest'
import { expectProblem, id_form, onlyWith, type Rule } from '../rule.ts'
import type { CheckedAnswer, Visit } from '../visit.ts'

async function success(visit: Visit): Promise<CheckedAnswer> {
  const answer = await visit.success()
  expect([answer.status < 400, answer.text]).toEqual([true, answer.text])
  return answer
}

async function refusal({ target, send, valid, refused }: Visit): Promise<CheckedAnswer> {
  const request = await (onlyWith.negotiation(target) === null ? refused() : valid())
  return send(request, { headers: { ...request.headers, accept: 'application/x-nothing' } })
}

const both = async (visit: Visit) => [await success(visit), await refusal(visit)]
const always = () => null

export const answers: readonly Rule[] = [
  {
    name: 'a whole request succeeds as declared',
    exempt: always,
    check: async visit => {
      const { status, headers, text } = await success(visit)
      expect(Object.keys(visit.target.route.replies)).toContain(String(status))
      if (visit.target.route.replies[status] === null) expect(text).toBe('')
      else expect(headers['content-type']).toBeDefined()
      if (status === 202) expect(headers.location).toMatch(/^\//)
    },
  },
  {
    name: 'the reply has no ETag and no Location that the route does not declare',
    exempt: onlyWith.pipeline,
    check: async visit => {
      const { sends = [] } = visit.target.route
      const { status, headers } = await success(visit)
      const located = status === 201 || status === 202
      const sent = [
        ...(headers.etag !== undefined && status < 300 ? ['etag'] : []),
        ...(headers.location !== undefined && located ? ['location'] : []),
      ]
      expect([...sends]).toEqual(expect.arrayContaining(sent))
    },
  },
  {
    name: 'a refusal is a problem document',
    exempt: onlyWith.negotiation,
    check: async visit => expectProblem(await refusal(visit), 406, 'not_acceptable'),
  },
  {
    name: 'every answer has a request id of its own',
    exempt: always,
    check: async visit => {
      const ids = (await both(visit)).map(({ headers }) => headers['x-request-id'])
      for (const id of ids) expect(id).toMatch(id_form)
      expect(new Set(ids).size).toBe(ids.length)
    },
  },
  {
    name: 'nothing is kept by a cache unless the route declares it',
    exempt: onlyWith.pipeline,
    check: async visit => {
      const { route, streams } = visit.target
      const declared = route.headers?.['cache-control'] ?? (streams ? 'no-cache' : 'no-store')
      expect((await success(visit)).headers['cache-control']).toBe(declared)
      const refused = await refusal(visit)
      // A route that answers with any media type refuses none.
      if (refused.status >= 400) expect(refused.headers['cache-control']).toBe('no-store')
    },
  },
  {
    name: 'every answer has the security headers',
    exempt: onlyWith.pipeline,
    check: async visit => {
      for (const { headers } of await both(visit)) {
        expect(headers['x-content-type-options']).toBe('nosniff')
        expect(headers['referrer-policy']).toBe('no-referrer')
        expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors/)
      }
    },
  },
  {
    name: 'no answer names the server',
    exempt: always,
    check: async visit => {
      for (const { headers } of await both(visit)) {
        expect([headers.server, headers['x-powered-by'], headers.via]).toEqual([
          undefined,
          undefined,
          undefined,
        ])
      }
    },
  },
]
