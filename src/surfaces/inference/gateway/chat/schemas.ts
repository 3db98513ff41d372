/** Chat Completions on the wire: what has an effect here, and what has none. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, map, nullable, oneOf, text } from '#dodeca/kernel'
import { CallId, Efforts, JsonSchema, Metadata, Seed, Stops, ToolName } from '../../schemas.ts'
import { maybe } from '../dialect.ts'

const Part = closed(
  {
    type: oneOf('text', 'image_url', 'file'),
    text: Type.Optional(text(1_000_000)),
    image_url: Type.Optional(
      closed({ url: Type.String({ maxLength: 7_000_000 }), detail: maybe(Type.Literal('auto')) }),
    ),
    file: Type.Optional(
      closed({
        file_data: maybe(Type.String({ maxLength: 7_000_000 })),
        file_id: maybe(Id),
        filename: maybe(text(255)),
      }),
    ),
  },
  { title: 'ChatPart' },
)

const Called = closed(
  {
    id: CallId,
    type: Type.Literal('function'),
    function: closed({
      name: ToolName,
      arguments: Type.String({ maxLength: 65_536 }),
      // The SDK adds it to the messages that it sends back.
      parsed_arguments: Type.Optional(Type.Unknown()),
    }),
  },
  { title: 'ChatToolCall' },
)

const Message = closed(
  {
    role: oneOf('system', 'developer', 'user', 'assistant', 'tool'),
    content: maybe(
      Type.Union([Type.String({ maxLength: 1_000_000 }), Type.Array(Part, { maxItems: 256 })]),
    ),
    tool_call_id: Type.Optional(CallId),
    // Of the tool whose result it is, which its call says already. Others have none.
    name: Type.Optional(ToolName),
    tool_calls: maybe(Type.Array(Called, { maxItems: 64 })),
    // Members of a message of the model, as the SDKs send it back.
    refusal: maybe(Type.Literal('')),
    annotations: Type.Optional(Type.Array(closed({}), { maxItems: 0 })),
    audio: Type.Optional(Type.Null()),
    function_call: Type.Optional(Type.Null()),
    parsed: Type.Optional(Type.Unknown()),
  },
  { title: 'ChatMessage' },
)

const Tool = closed(
  {
    type: Type.Literal('function'),
    function: closed({
      name: ToolName,
      description: maybe(Type.String({ maxLength: 8000 })),
      parameters: maybe(JsonSchema),
      strict: maybe(Type.Boolean()),
    }),
  },
  { title: 'ChatTool' },
)

const Format = closed({
  type: oneOf('text', 'json_object', 'json_schema'),
  json_schema: Type.Optional(
    closed({
      name: ToolName,
      description: maybe(text(2000)),
      schema: JsonSchema,
      strict: maybe(Type.Boolean()),
    }),
  ),
})

export const CreateChat = closed(
  {
    model: text(128),
    messages: Type.Array(Message, { minItems: 1, maxItems: 1000 }),
    max_completion_tokens: maybe(count(1, 1_000_000)),
    max_tokens: maybe(count(1, 1_000_000)),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    stop: maybe(Type.Union([text(64), Stops])),
    seed: maybe(Seed),
    reasoning_effort: maybe(Efforts),
    response_format: maybe(Format),
    tools: maybe(Type.Array(Tool, { maxItems: 64 })),
    tool_choice: maybe(
      Type.Union([
        oneOf('auto', 'none', 'required'),
        closed({ type: Type.Literal('function'), function: closed({ name: ToolName }) }),
      ]),
    ),
    parallel_tool_calls: maybe(Type.Boolean()),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(
      closed({
        include_usage: maybe(Type.Boolean()),
        include_obfuscation: maybe(Type.Boolean()),
      }),
    ),
    store: maybe(Type.Boolean()),
    metadata: maybe(Metadata),
    prompt_cache_key: maybe(text(64)),
    // Without an effect.
    frequency_penalty: maybe(Type.Literal(0)),
    presence_penalty: maybe(Type.Literal(0)),
    logit_bias: maybe(closed({})),
    logprobs: maybe(Type.Literal(false)),
    modalities: maybe(Type.Array(oneOf('text'), { maxItems: 1 })),
    n: maybe(Type.Literal(1)),
    prompt_cache_retention: maybe(oneOf('in_memory', '24h')),
    safety_identifier: maybe(text(64)),
    service_tier: maybe(oneOf('auto', 'default')),
    user: maybe(text(256)),
    verbosity: maybe(Type.Literal('medium')),
  },
  { title: 'CreateChatCompletion' },
)
export type CreateChat = Static<typeof CreateChat>

const Reason = oneOf('stop', 'length', 'tool_calls')
const Tokens = Type.Integer({ minimum: 0 })

const ChatUsage = Type.Object({
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  total_tokens: Tokens,
  prompt_tokens_details: Type.Object({ cached_tokens: Tokens }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Tokens }),
})

export const ChatCompletion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: nullable(Type.String()),
          refusal: Type.Null(),
          tool_calls: Type.Optional(
            Type.Array(
              Type.Object({
                id: Type.String(),
                type: Type.Literal('function'),
                function: Type.Object({ name: Type.String(), arguments: Type.String() }),
              }),
              { maxItems: 64 },
            ),
          ),
        }),
        logprobs: Type.Null(),
        finish_reason: Reason,
      }),
      { maxItems: 1 },
    ),
    usage: ChatUsage,
    service_tier: Type.Literal('default'),
    metadata: nullable(map(text(64), Type.String(), 16)),
  },
  { title: 'ChatCompletion' },
)
export type ChatCompletion = Static<typeof ChatCompletion>
