/** The Messages API of Anthropic on the wire: what has an effect here, and what has none. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text } from '#dodeca/kernel'
import { CallId, JsonSchema, ToolName } from '../../schemas.ts'
import { maybe } from '../dialect.ts'

/** It saves cost at one provider, and has no other effect. */
const cache_control = maybe(
  closed({ type: Type.Literal('ephemeral'), ttl: maybe(oneOf('5m', '1h')) }),
)
const Said = Type.String({ maxLength: 1_000_000 })

const Source = closed({
  type: oneOf('base64', 'file'),
  media_type: Type.Optional(text(60)),
  data: Type.Optional(Type.String({ maxLength: 7_000_000 })),
  file_id: Type.Optional(Id),
})

const Result = closed({
  type: Type.Literal('text'),
  text: Said,
  cache_control,
  citations: Type.Optional(Type.Null()),
})

const Block = closed(
  {
    type: oneOf('text', 'image', 'document', 'tool_use', 'tool_result', 'redacted_thinking'),
    text: Type.Optional(Said),
    source: Type.Optional(Source),
    title: maybe(text(255)),
    id: Type.Optional(CallId),
    name: Type.Optional(ToolName),
    input: Type.Optional(JsonSchema),
    tool_use_id: Type.Optional(CallId),
    content: maybe(Type.Union([Said, Type.Array(Result, { maxItems: 64 })])),
    is_error: maybe(Type.Boolean()),
    data: Type.Optional(Said),
    cache_control,
    citations: Type.Optional(Type.Null()),
  },
  { title: 'MessageBlock' },
)

const Tool = closed(
  {
    type: maybe(Type.Literal('custom')),
    name: ToolName,
    description: maybe(Type.String({ maxLength: 8000 })),
    input_schema: JsonSchema,
    strict: maybe(Type.Boolean()),
    cache_control,
    // Without an effect: a call is passed on whole.
    eager_input_streaming: maybe(Type.Boolean()),
  },
  { title: 'MessageTool' },
)

const asked = {
  model: text(128),
  messages: Type.Array(
    closed(
      {
        role: oneOf('user', 'assistant'),
        content: Type.Union([Said, Type.Array(Block, { maxItems: 256 })]),
      },
      { title: 'MessageTurn' },
    ),
    { minItems: 1, maxItems: 1000 },
  ),
  system: maybe(Type.Union([Said, Type.Array(Result, { maxItems: 64 })])),
  tools: maybe(Type.Array(Tool, { maxItems: 64 })),
  tool_choice: maybe(
    closed({
      type: oneOf('auto', 'any', 'tool', 'none'),
      name: Type.Optional(ToolName),
      disable_parallel_tool_use: maybe(Type.Boolean()),
    }),
  ),
  output_config: maybe(
    closed({
      effort: maybe(oneOf('low', 'medium', 'high')),
      format: maybe(closed({ type: Type.Literal('json_schema'), schema: JsonSchema })),
    }),
  ),
  // Without an effect.
  thinking: maybe(closed({ type: Type.Literal('disabled') })),
  cache_control,
}

export const CountTokens = closed(asked, { title: 'CountMessageTokens' })
export type CountTokens = Static<typeof CountTokens>

export const CreateMessage = closed(
  {
    ...asked,
    max_tokens: count(1, 1_000_000),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    stop_sequences: maybe(Type.Array(text(64), { maxItems: 4 })),
    stream: maybe(Type.Boolean()),
    // Without an effect.
    metadata: maybe(closed({ user_id: maybe(text(256)) })),
    service_tier: maybe(oneOf('auto', 'standard_only')),
  },
  { title: 'CreateMessage' },
)
export type CreateMessage = Static<typeof CreateMessage>

const Tokens = Type.Integer({ minimum: 0 })

export const TokenCount = Type.Object({ input_tokens: Tokens }, { title: 'MessageTokenCount' })

/** One block of an answer; its `type` says which members it has. */
const Content = Type.Object({
  type: oneOf('text', 'tool_use', 'redacted_thinking'),
  text: Type.Optional(Type.String()),
  citations: Type.Optional(Type.Null()),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  input: Type.Optional(Type.Unknown()),
  data: Type.Optional(Type.String()),
})
export type Content = Static<typeof Content>

export const MessageView = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(Content, { maxItems: 200 }),
    stop_reason: nullable(oneOf('end_turn', 'max_tokens', 'tool_use', 'stop_sequence')),
    stop_sequence: nullable(Type.String()),
    usage: Type.Object({
      input_tokens: Tokens,
      cache_creation_input_tokens: Tokens,
      cache_read_input_tokens: Tokens,
      output_tokens: Tokens,
    }),
  },
  { title: 'MessageAnswer' },
)
export type MessageView = Static<typeof MessageView>
