/** What every answer carries, be it a success or a refusal, and what none of them tells. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { expectProblem, id_form, onlyWith, type Rule } from '../rule.ts'
import type { CheckedAnswer, Visit } from '../visit.ts'

async function success(visit: Visit): Promise<CheckedAnswer> {
  const answer = await visit.success()
  deepEqual([answer.status < 400, answer.text], [true, answer.text])
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
      ok(Object.keys(visit.target.route.replies).includes(String(status)))
      if (visit.target.route.replies[status] === null) equal(text, '')
      else notEqual(headers['content-type'], undefined)
      if (status === 202) match(String(headers.location), /^\//)
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
      deepEqual(
        sent.filter(one => !sends.includes(one as 'etag')),
        [],
      )
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
      for (const id of ids) match(String(id), id_form)
      equal(new Set(ids).size, ids.length)
    },
  },
  {
    name: 'nothing is kept by a cache unless the route declares it',
    exempt: onlyWith.pipeline,
    check: async visit => {
      const { route, streams } = visit.target
      const declared = route.headers?.['cache-control'] ?? (streams ? 'no-cache' : 'no-store')
      equal((await success(visit)).headers['cache-control'], declared)
      const refused = await refusal(visit)
      // A route that answers with any media type refuses none.
      if (refused.status >= 400) equal(refused.headers['cache-control'], 'no-store')
    },
  },
  {
    name: 'every answer has the security headers',
    exempt: onlyWith.pipeline,
    check: async visit => {
      for (const { headers } of await both(visit)) {
        equal(headers['x-content-type-options'], 'nosniff')
        equal(headers['referrer-policy'], 'no-referrer')
        match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors/)
      }
    },
  },
  {
    name: 'no answer names the server',
    exempt: always,
    check: async visit => {
      for (const { headers } of await both(visit)) {
        deepEqual(
          [headers.server, headers['x-powered-by'], headers.via],
          [undefined, undefined, undefined],
        )
      }
    },
  },
]
