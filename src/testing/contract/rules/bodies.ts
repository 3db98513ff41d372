/** What a body and a query may be: size, type, JSON, unknown members, wrong types, characters. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { expectProblem, onlyWith, pointersOf, type Rule } from '../rule.ts'
import { misfit, typesOf, type Schema } from '../synthesis.ts'
import type { Target } from '../target.ts'

const limit_default_bytes = 1_048_576
const marker = 'never-echo-this'

function membersOf(schema: Schema | null): [string, Schema][] {
  return Object.entries(schema?.properties ?? {})
}

function textsOf(schema: Schema | null): string[] {
  return membersOf(schema).flatMap(([name, one]) => (typesOf(one)?.has('string') ? [name] : []))
}

const readsAll = ({ route }: Target) => !route.hidden && route.foreign_query === undefined

export const bodies: readonly Rule[] = [
  {
    name: 'a name of other APIs is 422, and says what to use instead',
    exempt: ({ route }) => (route.instead ? null : 'it has no such names'),
    check: async ({ target, send, refused }) => {
      const request = await refused()
      const known = JSON.stringify(target.body)
      for (const [name, instead] of Object.entries(target.route.instead ?? {})) {
        deepEqual([name, target.body?.properties?.[name]], [name, undefined])
        const body = { ...(request.body as object), [name]: 'something' }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'unsupported_field')
        deepEqual(pointersOf(answer, 'body'), [`/${name}`])
        ok(answer.body.detail.includes(`\`${instead}\``))
        const [member = ''] = instead.split('.')
        equal(member === 'Idempotency-Key' || known.includes(`"${member}"`), true, instead)
      }
    },
  },
  {
    name: 'a known member in another spelling is 422, and says the right name',
    exempt: ({ body }) =>
      membersOf(body).some(([name]) => name.includes('_')) ? null : 'all its names are one word',
    check: async ({ target, send, refused }) => {
      const request = await refused()
      for (const [name] of membersOf(target.body).filter(([one]) => one.includes('_'))) {
        const spelled = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
        const body = { ...(request.body as object), [spelled]: 'something' }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'unsupported_field')
        deepEqual(pointersOf(answer, 'body'), [`/${spelled}`])
        ok(answer.body.detail.includes(`\`${name}\``))
      }
    },
  },
  {
    name: 'a body over the limit is 413 and the connection closes',
    exempt: ({ takes_body }) => (takes_body ? null : 'its method takes no body'),
    check: async ({ target, send, refused }) => {
      const limit = target.route.body_limit_bytes ?? limit_default_bytes
      const answer = await send(await refused(), { announced: limit + 1 })
      expectProblem(answer, 413, 'content_too_large')
      equal(answer.headers.connection, 'close')
    },
  },
  {
    name: 'a body of another type, or of none, is 415',
    exempt: onlyWith.json,
    check: async ({ send, refused }) => {
      const request = await refused()
      const bytes = Buffer.from(JSON.stringify(request.body ?? {}))
      for (const headers of [{ 'content-type': 'text/plain' }, {}]) {
        const answer = await send(request, { headers, bytes })
        expectProblem(answer, 415, 'unsupported_media_type')
      }
    },
  },
  {
    name: 'broken JSON is 400',
    exempt: onlyWith.json,
    check: async ({ send, refused }) => {
      const answer = await send(await refused(), { bytes: Buffer.from(`{"${marker}":`) })
      expectProblem(answer, 400, 'malformed_json')
      ok(!answer.text.includes(marker))
    },
  },
  {
    name: 'an empty body of the type JSON is 400',
    exempt: target =>
      target.route.body_optional ? 'its body may be left out' : onlyWith.members(target),
    check: async ({ send, refused }) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await send(await refused(), { bytes: Buffer.alloc(0), headers })
      expectProblem(answer, 400, 'malformed_json')
    },
  },
  {
    name: 'an unknown member is 422 and named, also where there is no body',
    exempt: onlyWith.json,
    check: async ({ send, refused }) => {
      const request = await refused()
      const body = { ...(request.body as object), surplus_member: marker }
      const answer = await send(request, { body })
      expectProblem(answer, 422, 'unsupported_field')
      ok(pointersOf(answer, 'body').includes('/surplus_member'))
      ok(!answer.text.includes(marker))
    },
  },
  {
    name: 'an unknown query parameter is 422 and named',
    exempt: target => (readsAll(target) ? null : 'visitors add parameters of their own'),
    check: async ({ send, refused }) => {
      const request = await refused()
      const answer = await send(request, { query: { ...request.query, surplus: marker } })
      expectProblem(answer, 422, 'unsupported_field')
      ok(pointersOf(answer, 'query').includes('/surplus'))
      ok(!answer.text.replaceAll(answer.body.instance, '').includes(marker))
    },
  },
  {
    name: 'a query parameter of a visitor is not read',
    exempt: target =>
      readsAll(target) ? 'it refuses unknown parameters' : onlyWith.pipeline(target),
    check: async ({ send, valid, success }) => {
      const { status } = await success()
      const request = await valid()
      const answer = await send(request, { query: { ...request.query, surplus: 'x' } })
      equal(answer.status, status)
    },
  },
  {
    name: 'a member of a wrong type is 422 with its pointer and without its value',
    exempt: onlyWith.members,
    check: async ({ target, send, refused }) => {
      for (const [name, schema] of membersOf(target.body)) {
        const wrong = misfit(schema, marker)
        if (wrong === null) continue
        const request = await refused()
        const body = { ...(request.body as object), [name]: wrong }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'validation_failed')
        ok(pointersOf(answer, 'body').includes(`/${name}`))
        ok(!answer.text.includes(marker))
      }
    },
  },
  {
    name: 'a body that is not an object is 422',
    exempt: onlyWith.members,
    check: async ({ send, refused }) => {
      const request = await refused()
      for (const text of ['[]', 'null', '7', `"${marker}"`]) {
        const answer = await send(request, { bytes: Buffer.from(text) })
        expectProblem(answer, 422, 'validation_failed')
        ok(!answer.text.includes(marker))
      }
    },
  },
  {
    name: 'NUL in a text of the body is 422',
    exempt: ({ body }) => (textsOf(body).length > 0 ? null : 'its body has no text'),
    check: async ({ target, send, refused }) => {
      const request = await refused()
      for (const name of textsOf(target.body)) {
        const body = { ...(request.body as object), [name]: 'a\0b' }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'invalid_character')
        deepEqual(pointersOf(answer, 'body'), [`/${name}`])
      }
    },
  },
  {
    name: 'NUL in the path is 422',
    exempt: ({ params, route }) => {
      if (route.path === '/{code}')
        return 'a code that no link can have is a link that does not exist'
      return params.length > 0 ? null : 'its path has no parameter'
    },
    check: async ({ target, send, refused }) => {
      for (const { name } of target.params) {
        const request = await refused()
        const answer = await send(request, { params: { ...request.params, [name]: 'a%00b' } })
        expectProblem(answer, 422, 'invalid_character')
        deepEqual(pointersOf(answer, 'path'), [`/${name}`])
      }
    },
  },
  {
    name: 'NUL in the query is 422',
    exempt: ({ query }) => (textsOf(query).length > 0 ? null : 'its query has no text'),
    check: async ({ target, send, refused }) => {
      const request = await refused()
      for (const name of textsOf(target.query)) {
        const answer = await send(request, { query: { ...request.query, [name]: 'a\0b' } })
        expectProblem(answer, 422, 'invalid_character')
        deepEqual(pointersOf(answer, 'query'), [`/${name}`])
      }
    },
  },
]
