/**
 * Idempotency-Key: its syntax, where it is required, what the same key means for another request.
 */
import { expect } from 'vitest'
import { newKey } from '../../world.ts'
import { expectProblem, onlyWith, type Rule } from '../rule.ts'

export const keys: readonly Rule[] = [
  {
    name: 'a key of a wrong form is 400',
    exempt: ({ keyed, key_demanded }) => (keyed || key_demanded ? null : 'it takes no key'),
    check: async ({ send, refused }) => {
      const request = await refused()
      for (const key of [
        'x'.repeat(15),
        'x'.repeat(201),
        'two words of a key',
        'kéy-of-16-letters',
      ]) {
        expectProblem(await send(request, { key }), 400, 'idempotency_key_invalid')
      }
    },
  },
  {
    name: 'a missing key is 400',
    exempt: ({ key_demanded }) => (key_demanded ? null : 'it requires no key'),
    check: async ({ send, refused }) => {
      expectProblem(await send(await refused(), { key: null }), 400, 'idempotency_key_missing')
    },
  },
  {
    name: 'the same key and request gives the same bytes',
    exempt: ({ keyed, route, streams }) => {
      if (!keyed) return 'the kernel keeps no record of it'
      if (streams) return 'the result of a stream is sent again'
      return route.record === 'reference' ? 'its body is rendered again' : null
    },
    check: async ({ send, valid }) => {
      const request = await valid()
      const first = await send(request)
      expect([first.status < 300, first.headers['idempotent-replayed']]).toEqual([true, undefined])
      const second = await send(request)
      expect([second.status, second.text]).toEqual([first.status, first.text])
      expect(second.headers['idempotent-replayed']).toBe('true')
      expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
      for (const name of ['content-type', 'location', 'etag', 'link']) {
        expect([name, second.headers[name]]).toEqual([name, first.headers[name]])
      }
    },
  },
  {
    name: 'a finished stream is sent again under its key, and marked as replayed',
    exempt: ({ keyed, streams }) => (keyed && streams ? null : 'it is not a keyed stream'),
    check: async ({ send, valid }) => {
      const request = await valid()
      const first = await send(request)
      const second = await send(request)
      expect([first.status, second.status]).toEqual([200, 200])
      expect(second.text.trimEnd().split('\n\n').at(-1)).toMatch(/event: (?:completed|done)\n/)
      expect(second.headers['idempotent-replayed']).toBe('true')
    },
  },
  {
    name: 'the same key for another request is 409',
    exempt: onlyWith.key,
    check: async ({ target, send, valid }) => {
      const request = await valid()
      await send(request)
      const changes = target.route.unknown_members
        ? { query: { ...request.query, surplus: '1' } }
        : { body: { ...(request.body as object | null), surplus_member: 1 } }
      expectProblem(await send(request, changes), 409, 'idempotency_key_reused')
    },
  },
  {
    name: "a key is its principal's own",
    exempt: ({ keyed, params, guarded }) => {
      if (!keyed || !guarded) return 'the kernel keeps no record of it'
      return params.length > 0 ? 'the other one does not see the thing' : null
    },
    check: async ({ send, valid, stranger }) => {
      const key = newKey()
      await send(await valid(), { key })
      const answer = await send(await valid(), { key, token: (await stranger()).token })
      expect(answer.headers['idempotent-replayed']).toBeUndefined()
      expect(answer.body?.code).not.toBe('idempotency_key_reused')
    },
  },
]
