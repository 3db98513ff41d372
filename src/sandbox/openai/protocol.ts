/**
 * The requests that this API accepts. An unknown field is refused, so that a spelling mistake is
 * noticed.
 */
import { Type, type Static } from 'typebox'

const strict = { additionalProperties: false }
const optional = Type.Optional
const Text = Type.String({ maxLength: 4_000_000 })
const Model = Type.String({ minLength: 1, maxLength: 200 })
const Tokens = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const Share = Type.Number({ minimum: 0, maximum: 2 })
const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }))
const Identifier = Type.String({ maxLength: 64 })

const Part = Type.Object(
  {
    type: Type.String(),
    text: optional(Text),
    image_url: optional(Type.Unknown()),
    detail: optional(Type.String()),
    file_data: optional(Text),
    filename: optional(Type.String({ maxLength: 400 })),
    file: optional(Type.Object({ filename: optional(Type.String()), file_data: Text }, strict)),
  },
  strict,
)
const Content = Type.Union([Text, Type.Array(Part, { maxItems: 1000 })])
const Message = Type.Object(
  { type: optional(Type.Literal('message')), role: Type.String(), content: Content },
  strict,
)
const CallId = Type.String({ minLength: 1, maxLength: 64 })
const Called = Type.Object(
  { type: Type.Literal('function_call'), call_id: CallId, name: Type.String(), arguments: Text },
  strict,
)
const CalledOutput = Type.Object(
  { type: Type.Literal('function_call_output'), call_id: CallId, output: Text },
  strict,
)
const Reasoning = Type.Object(
  {
    type: Type.Literal('reasoning'),
    id: Type.String(),
    summary: Type.Array(Type.Unknown()),
    encrypted_content: Text,
  },
  strict,
)
const Schema = Type.Record(Type.String(), Type.Unknown())
const Offered = {
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  description: optional(Text),
  parameters: optional(Schema),
  strict: optional(Type.Boolean()),
}
const Effort = Type.String({ pattern: '^(none|minimal|low|medium|high)$' })

export const CreateResponse = Type.Object(
  {
    model: Model,
    input: Type.Union([
      Text,
      Type.Array(Type.Union([Message, Called, CalledOutput, Reasoning]), {
        minItems: 1,
        maxItems: 1000,
      }),
    ]),
    tools: optional(
      Type.Array(Type.Object({ type: Type.Literal('function'), ...Offered }, strict), {
        maxItems: 128,
      }),
    ),
    tool_choice: optional(
      Type.Union([
        Type.String(),
        Type.Object({ type: Type.Literal('function'), name: Type.String() }, strict),
      ]),
    ),
    parallel_tool_calls: optional(Type.Boolean()),
    reasoning: optional(Type.Object({ effort: optional(Effort) }, strict)),
    include: optional(Type.Array(Type.Literal('reasoning.encrypted_content'))),
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
    messages: Type.Array(
      Type.Object(
        {
          role: Type.String(),
          content: optional(Type.Union([Content, Type.Null()])),
          tool_call_id: optional(CallId),
          tool_calls: optional(
            Type.Array(
              Type.Object(
                {
                  id: CallId,
                  type: Type.Literal('function'),
                  function: Type.Object({ name: Type.String(), arguments: Text }, strict),
                },
                strict,
              ),
              { minItems: 1 },
            ),
          ),
        },
        strict,
      ),
      { minItems: 1, maxItems: 1000 },
    ),
    tools: optional(
      Type.Array(
        Type.Object(
          { type: Type.Literal('function'), function: Type.Object(Offered, strict) },
          strict,
        ),
        { maxItems: 128 },
      ),
    ),
    tool_choice: optional(
      Type.Union([
        Type.String(),
        Type.Object(
          {
            type: Type.Literal('function'),
            function: Type.Object({ name: Type.String() }, strict),
          },
          strict,
        ),
      ]),
    ),
    parallel_tool_calls: optional(Type.Boolean()),
    reasoning_effort: optional(Effort),
    stop: optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 4 })]),
    ),
    seed: optional(Type.Integer()),
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

/** The text of a message, for each form that a message can have. */
export function textOf(content: Static<typeof Content> | null | undefined): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('')
}
