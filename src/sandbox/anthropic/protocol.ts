/** The requests that the Messages API accepts here. An unknown field is refused. */
import { Type, type Static } from 'typebox'

const strict = { additionalProperties: false }
const optional = Type.Optional
const Text = Type.String({ maxLength: 4_000_000 })
const Schema = Type.Record(Type.String(), Type.Unknown())
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })

const Source = Type.Object(
  { type: Type.Literal('base64'), media_type: Type.String(), data: Text },
  strict,
)
const Block = Type.Union([
  Type.Object(
    { type: Type.Literal('text'), text: Type.String({ minLength: 1, maxLength: 4_000_000 }) },
    strict,
  ),
  Type.Object({ type: Type.Literal('image'), source: Source }, strict),
  Type.Object(
    { type: Type.Literal('document'), source: Source, title: optional(Type.String()) },
    strict,
  ),
  Type.Object(
    { type: Type.Literal('tool_use'), id: Id, name: Type.String(), input: Schema },
    strict,
  ),
  Type.Object(
    {
      type: Type.Literal('tool_result'),
      tool_use_id: Id,
      content: optional(Text),
      is_error: optional(Type.Boolean()),
    },
    strict,
  ),
  Type.Object({ type: Type.Literal('thinking'), thinking: Text, signature: Text }, strict),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: Text }, strict),
])
export type Block = Static<typeof Block>

const Blocks = Type.Array(Block, { minItems: 1, maxItems: 1000 })

export const CreateMessage = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200 }),
    max_tokens: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    messages: Type.Array(
      Type.Object(
        {
          role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
          content: Type.Union([Text, Blocks]),
        },
        strict,
      ),
      { minItems: 1, maxItems: 1000 },
    ),
    system: optional(
      Type.Union([
        Text,
        Type.Array(Type.Object({ type: Type.Literal('text'), text: Text }, strict)),
      ]),
    ),
    stream: optional(Type.Boolean()),
    metadata: optional(Type.Object({ user_id: Type.String({ maxLength: 256 }) }, strict)),
    temperature: optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    stop_sequences: optional(Type.Array(Type.String())),
    tools: optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' }),
            description: optional(Text),
            input_schema: Schema,
            strict: optional(Type.Boolean()),
          },
          strict,
        ),
      ),
    ),
    tool_choice: optional(
      Type.Object(
        {
          type: Type.String({ pattern: '^(auto|any|tool|none)$' }),
          name: optional(Type.String()),
          disable_parallel_tool_use: optional(Type.Boolean()),
        },
        strict,
      ),
    ),
    thinking: optional(
      Type.Object({ type: Type.String({ pattern: '^(adaptive|disabled)$' }) }, strict),
    ),
    output_config: optional(
      Type.Object(
        {
          effort: optional(Type.String({ pattern: '^(low|medium|high)$' })),
          format: optional(
            Type.Object({ type: Type.Literal('json_schema'), schema: Schema }, strict),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type CreateMessage = Static<typeof CreateMessage>
