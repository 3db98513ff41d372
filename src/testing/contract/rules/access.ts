/** Who may ask: 401 with a challenge, 403, what a public route makes of credentials, and the order. */
import { deepEqual, match } from 'node:assert/strict'
import { expectProblem, onlyWith, type Rule } from '../rule.ts'

export const access: readonly Rule[] = [
  {
    name: 'no credential is 401 with a challenge',
    exempt: onlyWith.credential,
    check: async ({ send, refused }) => {
      const answer = await send(await refused(), { token: null })
      expectProblem(answer, 401, 'authentication_required')
      match(String(answer.headers['www-authenticate']), /^Bearer/)
    },
  },
  {
    name: 'a forged credential is 401 with a challenge',
    exempt: onlyWith.credential,
    check: async ({ send, refused }) => {
      const request = await refused()
      const token = request.token ?? ''
      const forged = [`${token.slice(0, -4)}AAAA`, 'forged', `${token.split('.')[0]}.`]
      for (const one of forged) {
        const answer = await send(request, { token: one })
        expectProblem(answer, 401, 'invalid_token')
        match(String(answer.headers['www-authenticate']), /^Bearer/)
      }
    },
  },
  {
    name: 'a public route answers whatever the credential',
    exempt: ({ guarded, bearer, route }) =>
      guarded || bearer || route.takes === 'client' ? 'it asks for a credential' : null,
    check: async ({ send, valid }) => {
      const { status } = await send(await valid())
      for (const authorization of ['Bearer forged', 'Basic dXNlcjpwYXNz']) {
        const request = await valid()
        const answer = await send(request, { headers: { ...request.headers, authorization } })
        deepEqual([authorization, answer.status], [authorization, status])
      }
    },
  },
  {
    name: 'a principal without grants is 403',
    exempt: ({ permission }) => (permission ? null : 'every member may'),
    check: async ({ send, refused, unprivileged }) => {
      const answer = await send(await refused(), { token: (await unprivileged()).token })
      expectProblem(answer, 403, 'permission_denied')
    },
  },
  {
    name: 'of two faults the reply names the earlier in the order of the contract',
    exempt: onlyWith.guard,
    check: async ({ target, send, refused, unprivileged }) => {
      const request = await refused()
      const accept = { ...request.headers, accept: 'application/x-nothing' }
      expectProblem(await send(request, { token: null, headers: accept }), 406, 'not_acceptable')
      if (target.takes_json) {
        const bytes = Buffer.from('{')
        const plain = { bytes, headers: { 'content-type': 'text/plain' } }
        const denied = { token: (await unprivileged()).token }
        expectProblem(
          await send(request, { ...plain, token: null }),
          401,
          'authentication_required',
        )
        expectProblem(await send(request, { ...plain, ...denied }), 415, 'unsupported_media_type')
        const short = { key: 'short' }
        expectProblem(await send(request, { bytes, ...denied, ...short }), 400, 'malformed_json')
        if (target.keyed) {
          const answer = await send(request, { ...denied, ...short })
          expectProblem(answer, 400, 'idempotency_key_invalid')
        }
      }
      if (target.permission) {
        const params = Object.fromEntries(target.params.map(({ name }) => [name, 'nonsense']))
        const wrong = { body: target.body && {}, params, token: (await unprivileged()).token }
        expectProblem(await send(request, wrong), 403, 'permission_denied')
      }
    },
  },
]
