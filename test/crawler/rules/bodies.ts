/** What a body and a query may be: size, type, JSON, unknown members, wrong types, characters. */
import { expect } from 'vitest'
import { expectProblem, onlyWith, pointersOf, type Rule } from '../rule.ts'
import { misfit, typesOf, type Schema } from '../synthesis.ts'

const limit_default_bytes = 1_048_576
const marker = 'never-echo-this'

function membersOf(schema: Schema | null): [string, Schema][] {
  return Object.entries(schema?.properties ?? {})
}

function textsOf(schema: Schema | null): string[] {
  return membersOf(schema).flatMap(([name, one]) => (typesOf(one)?.has('string') ? [name] : []))
}

const hasBody = ({ body }: { body: Schema | null }) =>
  membersOf(body).length > 0 ? null : 'its body has no members'

export const bodies: readonly Rule[] = [
  {
    name: 'a restriction that is not supported is 422, and says what to use instead',
    exempt: ({ route }) => (route.refuses ? null : 'it has no such names'),
    check: async ({ target, send, refused }) => {
      const request = await refused()
      const known = JSON.stringify(target.body)
      for (const [name, instead] of Object.entries(target.route.refuses ?? {})) {
        expect([name, target.body?.properties?.[name]]).toEqual([name, undefined])
        const body = { ...(request.body as object), [name]: 'something' }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'unsupported_field')
        expect(pointersOf(answer, 'body')).toEqual([`/${name}`])
        if (instead === null) continue
        expect(answer.body.detail).toContain(`\`${instead}\``)
        const [member = ''] = instead.split('.')
        expect(member === 'Idempotency-Key' || known.includes(`"${member}"`), instead).toBe(true)
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
        expect(pointersOf(answer, 'body')).toEqual([`/${spelled}`])
        expect(answer.body.detail).toContain(`\`${name}\``)
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
      expect(answer.headers.connection).toBe('close')
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
      expect(answer.text).not.toContain(marker)
    },
  },
  {
    name: 'an empty body of the type JSON is 400',
    exempt: target => (target.route.body_optional ? 'its body may be left out' : hasBody(target)),
    check: async ({ send, refused }) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await send(await refused(), { bytes: Buffer.alloc(0), headers })
      expectProblem(answer, 400, 'malformed_json')
    },
  },
  {
    name: 'an unknown member is dropped and named, and is no reason for a refusal',
    exempt: target =>
      target.route.unknown_members ? 'it refuses unknown members' : hasBody(target),
    check: async ({ send, valid, success }) => {
      const { status } = await success()
      const request = await valid()
      const body = { ...(request.body as object), surplus_member: marker }
      const answer = await send(request, { body })
      expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([
        status,
        '/surplus_member',
      ])
      expect(answer.text).not.toContain(marker)
    },
  },
  {
    name: 'an unknown member is refused and named where money moves',
    exempt: ({ route }) => (route.unknown_members ? null : 'it drops unknown members'),
    check: async ({ send, refused }) => {
      const request = await refused()
      const body = { ...(request.body as object), surplus_member: marker }
      const answer = await send(request, { body })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer, 'body')).toContain('/surplus_member')
      expect(answer.text).not.toContain(marker)
    },
  },
  {
    name: 'an unknown query parameter is dropped and named',
    exempt: onlyWith.pipeline,
    check: async ({ send, valid, success }) => {
      const { status } = await success()
      const request = await valid()
      const answer = await send(request, { query: { ...request.query, surplus: 'x' } })
      expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([status, '?surplus'])
    },
  },
  {
    name: 'a member of a wrong type is 422 with its pointer and without its value',
    exempt: hasBody,
    check: async ({ target, send, refused }) => {
      for (const [name, schema] of membersOf(target.body)) {
        const wrong = misfit(schema, marker)
        if (wrong === null) continue
        const request = await refused()
        const body = { ...(request.body as object), [name]: wrong }
        const answer = await send(request, { body })
        expectProblem(answer, 422, 'validation_failed')
        expect(pointersOf(answer, 'body')).toContain(`/${name}`)
        expect(answer.text).not.toContain(marker)
      }
    },
  },
  {
    name: 'a body that is not an object is 422',
    exempt: hasBody,
    check: async ({ send, refused }) => {
      const request = await refused()
      for (const text of ['[]', 'null', '7', `"${marker}"`]) {
        const answer = await send(request, { bytes: Buffer.from(text) })
        expectProblem(answer, 422, 'validation_failed')
        expect(answer.text).not.toContain(marker)
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
        expect(pointersOf(answer, 'body')).toEqual([`/${name}`])
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
        expect(pointersOf(answer, 'path')).toEqual([`/${name}`])
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
        expect(pointersOf(answer, 'query')).toEqual([`/${name}`])
      }
    },
  },
]
