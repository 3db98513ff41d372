/**
 * The requests that this API accepts. An unknown field is refused, so that a spelling mistake is
 * noticed.
 */
import { Type, type Static, type TObject } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from './api-error.ts'

const strict = { additionalProperties: false }
const optional = Type.Optional
const Text = Type.String({ maxLength: 4_000_000 })
const Model = Type.String({ minLength: 1, maxLength: 200 })
const Tokens = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const Share = Type.Number({ minimum: 0, maximum: 2 })
const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }))
const Identifier = Type.String({ maxLength: 64 })

const Part = Type.Object({ type: Type.String(), text: Text }, strict)
const Content = Type.Union([Text, Type.Array(Part, { maxItems: 1000 })])
const Message = Type.Object(
  { type: optional(Type.Literal('message')), role: Type.String(), content: Content },
  strict,
)
const Schema = Type.Record(Type.String(), Type.Unknown())

export const CreateResponse = Type.Object(
  {
    model: Model,
    input: Type.Union([Text, Type.Array(Message, { minItems: 1, maxItems: 1000 })]),
    instructions: optional(Type.Union([Text, Type.Null()])),
    max_output_tokens: optional(Type.Union([Tokens, Type.Null()])),
    temperature: optional(Share),
    top_p: optional(Share),
    stream: optional(Type.Boolean()),
    background: optional(Type.Boolean()),
    store: optional(Type.Boolean()),
    metadata: optional(Type.Union([Metadata, Type.Null()])),
    safety_identifier: optional(Identifier),
    prompt_cache_key: optional(Type.String({ maxLength: 200 })),
    service_tier: optional(Type.String()),
    truncation: optional(Type.String()),
    text: optional(
      Type.Object(
        {
          format: optional(
            Type.Object(
              {
                type: Type.String(),
                name: optional(Type.String({ maxLength: 64 })),
                schema: optional(Schema),
                strict: optional(Type.Boolean()),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type CreateResponse = Static<typeof CreateResponse>

export const CreateChat = Type.Object(
  {
    model: Model,
    messages: Type.Array(Message, { minItems: 1, maxItems: 1000 }),
    max_tokens: optional(Tokens),
    max_completion_tokens: optional(Tokens),
    temperature: optional(Share),
    top_p: optional(Share),
    stream: optional(Type.Boolean()),
    stream_options: optional(
      Type.Object({ include_usage: optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
    metadata: optional(Metadata),
    store: optional(Type.Boolean()),
    user: optional(Identifier),
    safety_identifier: optional(Identifier),
    prompt_cache_key: optional(Type.String({ maxLength: 200 })),
    response_format: optional(
      Type.Object(
        {
          type: Type.String(),
          json_schema: optional(
            Type.Object(
              {
                name: Type.String({ maxLength: 64 }),
                schema: optional(Schema),
                strict: optional(Type.Boolean()),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type CreateChat = Static<typeof CreateChat>

export const CreateEmbeddings = Type.Object(
  {
    model: Model,
    input: Type.Union([
      Type.String({ minLength: 1, maxLength: 4_000_000 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 4_000_000 }), {
        minItems: 1,
        maxItems: 2048,
      }),
    ]),
    encoding_format: optional(Type.Union([Type.Literal('float'), Type.Literal('base64')])),
    dimensions: optional(Type.Integer({ minimum: 1, maximum: 4096 })),
    user: optional(Identifier),
  },
  strict,
)
export type CreateEmbeddings = Static<typeof CreateEmbeddings>

export function read<S extends TObject>(schema: S, body: unknown): Static<S> {
  if (typeof body === 'object' && body !== null) {
    const unknown = Object.keys(body).find(name => !(name in schema.properties))
    if (unknown !== undefined) {
      const fields = { code: 'unknown_parameter', param: unknown }
      throw new ApiError(400, `Unknown parameter: '${unknown}'.`, fields)
    }
  }
  if (Value.Check(schema, body)) return body
  const [fault] = Value.Errors(schema, body)
  const param = (fault?.instancePath ?? '').slice(1).replaceAll('/', '.')
  throw new ApiError(400, `Invalid value for '${param}': ${fault?.message ?? 'not valid'}.`, {
    code: 'invalid_value',
    param,
  })
}

/** The text of a message, for each form that a message can have. */
export function textOf(content: Static<typeof Content>): string {
  return typeof content === 'string' ? content : content.map(part => part.text).join('')
}
