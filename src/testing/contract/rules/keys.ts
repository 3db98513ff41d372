/**
 * Idempotency-Key: its syntax, where it is required, what the same key means for another request.
 */
import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { newId } from '#dodeca/kernel'
import { newKey } from '../../call.ts'
import { expectProblem, onlyWith, type Rule } from '../rule.ts'
import { another } from '../synthesis.ts'
import type { Target } from '../target.ts'
import type { CheckedAnswer, Request, Visit } from '../visit.ts'

export const keys: readonly Rule[] = [
  {
    name: 'a key of a wrong form is 400',
    exempt: ({ route }) =>
      onlyWith.pipeline({ route } as Target) ?? (route.method === 'GET' ? 'it only reads' : null),
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
    exempt: ({ keyed, streams }) => {
      if (!keyed) return 'the kernel keeps no record of it'
      return streams ? 'the result of a stream is sent again' : null
    },
    check: async ({ target, send, valid }) => {
      const request = await valid()
      const first = await send(request)
      deepEqual([first.status < 300, first.headers['idempotent-replayed']], [true, undefined])
      const second = await send(request)
      expectReplay(first, second)
      // What is rendered again has fresh URLs and states.
      if (target.route.record === 'reference') {
        deepEqual(Object.keys(second.body), Object.keys(first.body))
        equal(second.body.id, first.body.id)
      } else equal(second.text, first.text)
    },
  },
  {
    name: 'a creation is repeated under its key after the deletion',
    exempt: ({ keyed, streams, route }) => {
      if (!keyed) return 'the kernel keeps no record of it'
      return streams || !route.sends?.includes('location') ? 'it names nothing to delete' : null
    },
    check: async ({ send, valid, remove }) => {
      const request = await valid()
      const first = await send(request)
      const removed = await remove(String(first.headers.location), request.token)
      if (!removed) return
      equal(removed.status, 204, removed.text)
      const second = await send(request)
      equal(second.status, first.status)
      equal(second.headers['idempotent-replayed'], 'true')
    },
  },
  {
    name: 'a refusal under a key is given again',
    exempt: ({ keyed, streams }) => {
      if (!keyed) return 'the kernel keeps no record of it'
      return streams ? 'a stream that was refused is opened again' : null
    },
    check: async visit => {
      const { request, first, recorded } = await refusedByOperation(visit)
      const second = await visit.send(request)
      expectProblem(second, first.status, first.body.code)
      deepEqual({ ...second.body, request_id: '' }, { ...first.body, request_id: '' })
      // Only outcomes are recorded: what is checked before the handler is checked again.
      if (recorded) expectReplay(first, second)
    },
  },
  {
    name: 'a finished stream is sent again under its key, and marked as replayed',
    exempt: ({ keyed, streams }) => (keyed && streams ? null : 'it is not a keyed stream'),
    check: async ({ send, valid }) => {
      const request = await valid()
      const first = await send(request)
      const second = await send(request)
      deepEqual([first.status, second.status], [200, 200])
      match(String(second.text.trimEnd().split('\n\n').at(-1)), /event: (?:completed|done)\n/)
      equal(second.headers['idempotent-replayed'], 'true')
    },
  },
  {
    name: 'the same key for another request is 409',
    exempt: target => onlyWith.key(target) ?? onlyWith.members(target),
    check: async ({ target, send, valid }) => {
      const request = await valid()
      await send(request)
      const body = another(target.body ?? {}, request.body)
      expectProblem(await send(request, { body }), 409, 'idempotency_key_reused')
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
      equal(answer.headers['idempotent-replayed'], undefined)
      notEqual(answer.body?.code, 'idempotency_key_reused')
    },
  },
]

const id = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/**
 * A request that the operation itself refuses: as its recipe says, or the same a second time, or
 * with ids of nothing in the body or in the path, or with a body that does not fit the schema.
 */
async function refusedByOperation({ send, valid, refusal }: Visit) {
  const request = await valid()
  const said = await refusal()
  const absent = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll(id, () => newId()))
  const changes: Partial<Request>[] = said
    ? [said]
    : [
        {},
        {},
        { body: absent(request.body) },
        { params: absent(request.params) },
        { bytes: Buffer.from('[]') },
      ]
  for (const change of changes) {
    const asked = { ...request, ...change, key: newKey() }
    const first = await send(asked)
    if (first.status >= 400) return { request: asked, first, recorded: said !== null }
  }
  throw new Error('say in its recipe which request the operation refuses')
}

function expectReplay(first: CheckedAnswer, second: CheckedAnswer): void {
  equal(second.status, first.status, second.text)
  equal(second.headers['idempotent-replayed'], 'true')
  notEqual(second.headers['x-request-id'], first.headers['x-request-id'])
  for (const name of ['content-type', 'location', 'etag', 'link']) {
    deepEqual([name, second.headers[name]], [name, first.headers[name]])
  }
}
