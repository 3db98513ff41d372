/** Proves that the comparison of two documents finds every breach, each as one sentence, and no other. */
import { describe, expect, test } from 'vitest'
import { incompatibilities, type Document } from './incompatibilities.ts'

/** A document with one of everything that a change can touch. */
function sample() {
  return {
    paths: {
      '/v1/things': {
        get: {
          security: [] as unknown[],
          parameters: [
            { name: 'state', in: 'query', required: false, schema: { enum: ['open', 'shut'] } },
          ] as { name: string; in: string; required: boolean; schema: object }[],
          responses: {
            200: reply({ $ref: '#/components/schemas/Thing' }),
            422: { description: 'invalid_character, validation_failed' },
          } as Record<string, { description: string; content?: object }>,
        },
        post: {
          requestBody: {
            required: false,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/New' } } },
          },
          responses: { 201: reply({ $ref: '#/components/schemas/Thing' }) },
        },
      },
    },
    components: {
      schemas: {
        New: {
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string', maxLength: 200 } as Record<string, unknown>,
            size: { type: 'integer', minimum: 0 } as Record<string, unknown>,
            place: { anyOf: [{ type: 'object', properties: {} }, { type: 'null' }] },
          } as Record<string, Record<string, unknown>>,
        },
        Thing: {
          type: 'object',
          required: ['id', 'state'],
          properties: {
            id: { type: 'string' },
            state: { anyOf: [{ const: 'open' }, { const: 'shut' }] },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          } as Record<string, Record<string, unknown>>,
        },
      },
    },
  }
}

function reply(schema: object) {
  return { description: 'Done', content: { 'application/json': { schema } } }
}

type Sample = ReturnType<typeof sample>
type Case = [string, (next: Sample) => unknown, string[]]
const things = (next: Sample) => next.paths['/v1/things']
const given = (next: Sample) => next.components.schemas.New
const thing = (next: Sample) => next.components.schemas.Thing

function changed(change: (next: Sample) => unknown): string[] {
  const next = sample()
  change(next)
  return incompatibilities(sample() as unknown as Document, next as unknown as Document)
}

const body = 'POST /v1/things body'
const both = (fault: string) => [`GET /v1/things 200${fault}`, `POST /v1/things 201${fault}`]

describe('a change breaks callers if', () => {
  test.for<Case>([
    [
      'an operation is gone',
      next => Reflect.deleteProperty(things(next), 'post'),
      ['POST /v1/things: the operation is gone'],
    ],
    [
      'a path is gone',
      next => Reflect.deleteProperty(next.paths, '/v1/things'),
      ['GET /v1/things: the operation is gone', 'POST /v1/things: the operation is gone'],
    ],
    [
      'a credential is required',
      next => things(next).get.security.push({ bearer: [] }),
      ['GET /v1/things: it now asks for a credential'],
    ],
    [
      'a parameter is gone',
      next => things(next).get.parameters.pop(),
      ['GET /v1/things query state: the parameter is gone'],
    ],
    [
      'a new parameter is required',
      next => {
        const schema = { type: 'string' }
        things(next).get.parameters.push({ name: 'kind', in: 'query', required: true, schema })
      },
      ['GET /v1/things query kind: the parameter is now required'],
    ],
    [
      'a parameter takes fewer values',
      next => Object.assign(things(next).get.parameters[0]?.schema ?? {}, { enum: ['open'] }),
      ['GET /v1/things query state: the value "shut" is gone'],
    ],
    [
      'a body becomes required',
      next => Object.assign(things(next).post.requestBody, { required: true }),
      ['POST /v1/things: the body is now required'],
    ],
    [
      'a member of a body becomes required',
      next => given(next).required.push('size'),
      [`${body}/size: the field is now required`],
    ],
    [
      'a new member of a body is required',
      next => {
        given(next).properties['kind'] = { type: 'string' }
        given(next).required.push('kind')
      },
      [`${body}/kind: the field is now required`],
    ],
    [
      'a member of a body is gone',
      next => Reflect.deleteProperty(given(next).properties, 'size'),
      [`${body}/size: the field is gone`],
    ],
    [
      'a text may be less long',
      next => Object.assign(given(next).properties['title'] ?? {}, { maxLength: 100 }),
      [`${body}/title: maxLength became 100`],
    ],
    [
      'a number gets a bound',
      next => Object.assign(given(next).properties['size'] ?? {}, { maximum: 5 }),
      [`${body}/size: maximum became 5`],
    ],
    [
      'a number must be larger',
      next => Object.assign(given(next).properties['size'] ?? {}, { minimum: 1 }),
      [`${body}/size: minimum became 1`],
    ],
    [
      'a text gets a form',
      next => Object.assign(given(next).properties['title'] ?? {}, { pattern: '^x' }),
      [`${body}/title: pattern became ^x`],
    ],
    [
      'a member of a body changes its type',
      next => Object.assign(given(next).properties['size'] ?? {}, { type: 'string' }),
      [`${body}/size: the type integer is no longer taken`],
    ],
    [
      'null is no longer accepted',
      next => {
        given(next).properties['place'] = { type: 'object', properties: {} }
      },
      [`${body}/place: the type null is no longer taken`],
    ],
    [
      'a field of a reply is gone',
      next => Reflect.deleteProperty(thing(next).properties, 'note'),
      both('/note: the field is gone'),
    ],
    [
      'a field of a reply may be missing',
      next => thing(next).required.pop(),
      both('/state: the field may now be missing'),
    ],
    [
      'a field of a reply changes its type',
      next => {
        thing(next).properties['id'] = { type: 'integer' }
      },
      both('/id: the type became integer'),
    ],
    [
      'a field of a reply may be null',
      next => {
        thing(next).properties['id'] = { anyOf: [{ type: 'string' }, { type: 'null' }] }
      },
      both('/id: the type became null'),
    ],
    [
      'a value of a reply is gone',
      next => {
        thing(next).properties['state'] = { const: 'open' }
      },
      both('/state: the value "shut" is gone'),
    ],
    [
      'a status is gone',
      next => Reflect.deleteProperty(things(next).post.responses, '201'),
      ['POST /v1/things: 201 is gone'],
    ],
    [
      'a code is gone',
      next =>
        Object.assign(things(next).get.responses['422'] ?? {}, {
          description: 'validation_failed',
        }),
      ['GET /v1/things: 422 invalid_character is gone'],
    ],
    [
      'all codes of a status are gone',
      next => Reflect.deleteProperty(things(next).get.responses, '422'),
      [
        'GET /v1/things: 422 invalid_character is gone',
        'GET /v1/things: 422 validation_failed is gone',
      ],
    ],
  ])('%s', ([, change, faults]) => {
    expect(changed(change)).toEqual(faults)
  })
})

describe('a change is compatible if', () => {
  test.for<[string, (next: Sample) => unknown]>([
    ['nothing changed', () => {}],
    [
      'there is a new operation',
      next => Object.assign(next.paths, { '/v1/others': { get: things(next).get } }),
    ],
    [
      'there is a new optional parameter',
      next => {
        const schema = { type: 'string' }
        things(next).get.parameters.push({ name: 'kind', in: 'query', required: false, schema })
      },
    ],
    [
      'there is a new optional member',
      next => Object.assign(given(next).properties, { kind: { type: 'string' } }),
    ],
    [
      'a text may be longer',
      next => Object.assign(given(next).properties['title'] ?? {}, { maxLength: 300 }),
    ],
    ['a member is no longer required', next => given(next).required.pop()],
    [
      'an integer may be any number',
      next => Object.assign(given(next).properties['size'] ?? {}, { type: 'number' }),
    ],
    [
      'a reply has a new field',
      next => Object.assign(thing(next).properties, { colour: { type: 'string' } }),
    ],
    ['a field is always there', next => thing(next).required.push('note')],
    [
      'a field is never null',
      next => Object.assign(thing(next).properties, { note: { type: 'string' } }),
    ],
    [
      'there is a new code',
      next => Object.assign(things(next).get.responses, { 409: { description: 'conflict' } }),
    ],
  ])('%s', ([, change]) => {
    expect(changed(change)).toEqual([])
  })
})
