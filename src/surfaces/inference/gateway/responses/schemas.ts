/** The Responses API on the wire: what has an effect here, and what has none. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text } from '#dodeca/kernel'
import { CallId, Efforts, JsonSchema, Metadata, ToolName } from '../../schemas.ts'
import { maybe } from '../dialect.ts'

const Url = Type.String({ maxLength: 7_000_000 })
const Said = Type.String({ maxLength: 1_000_000 })
const ItemId = Type.String({ maxLength: 128 })

const Part = closed(
  {
    type: oneOf('input_text', 'output_text', 'input_image', 'input_file'),
    text: Type.Optional(Said),
    image_url: maybe(Url),
    detail: maybe(Type.Literal('auto')),
    file_data: maybe(Url),
    file_id: maybe(Id),
    filename: maybe(text(255)),
    // Members of an output, as the SDKs send it back.
    annotations: Type.Optional(Type.Array(closed({}), { maxItems: 0 })),
    logprobs: Type.Optional(Type.Array(closed({}), { maxItems: 0 })),
    parsed: Type.Optional(Type.Unknown()),
  },
  { title: 'ResponsePart' },
)

const Item = closed(
  {
    type: Type.Optional(
      oneOf('message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'),
    ),
    role: Type.Optional(oneOf('system', 'developer', 'user', 'assistant')),
    content: maybe(Type.Union([Said, Type.Array(Part, { maxItems: 256 })])),
    call_id: Type.Optional(CallId),
    name: Type.Optional(ToolName),
    arguments: Type.Optional(Type.String({ maxLength: 65_536 })),
    output: Type.Optional(Said),
    encrypted_content: maybe(Said),
    summary: Type.Optional(Type.Array(closed({}), { maxItems: 0 })),
    id: maybe(ItemId),
    status: maybe(oneOf('in_progress', 'completed', 'incomplete')),
    parsed_arguments: Type.Optional(Type.Unknown()),
  },
  { title: 'ResponseItem' },
)

const Tool = closed(
  {
    type: Type.Literal('function'),
    name: ToolName,
    description: maybe(Type.String({ maxLength: 8000 })),
    parameters: maybe(JsonSchema),
    strict: maybe(Type.Boolean()),
  },
  { title: 'ResponseTool' },
)

const Format = closed({
  type: oneOf('text', 'json_object', 'json_schema'),
  name: Type.Optional(ToolName),
  description: maybe(text(2000)),
  schema: Type.Optional(JsonSchema),
  strict: maybe(Type.Boolean()),
})

export const CreateResponse = closed(
  {
    model: text(128),
    input: Type.Union([text(1_000_000), Type.Array(Item, { minItems: 1, maxItems: 1000 })]),
    instructions: maybe(text(100_000)),
    previous_response_id: maybe(text(64)),
    max_output_tokens: maybe(count(1, 1_000_000)),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    reasoning: maybe(
      closed({
        effort: maybe(Efforts),
        // Without an effect: thoughts come encrypted, and their summary is empty.
        summary: maybe(oneOf('none', 'auto', 'concise', 'detailed')),
      }),
    ),
    text: maybe(closed({ format: maybe(Format), verbosity: maybe(Type.Literal('medium')) })),
    tools: maybe(Type.Array(Tool, { maxItems: 64 })),
    tool_choice: maybe(
      Type.Union([
        oneOf('auto', 'none', 'required'),
        closed({ type: Type.Literal('function'), name: ToolName }),
      ]),
    ),
    parallel_tool_calls: maybe(Type.Boolean()),
    include: maybe(Type.Array(oneOf('reasoning.encrypted_content'), { maxItems: 1 })),
    stream: maybe(Type.Boolean()),
    store: maybe(Type.Boolean()),
    metadata: maybe(Metadata),
    prompt_cache_key: maybe(text(64)),
    // Without an effect.
    background: maybe(Type.Literal(false)),
    prompt_cache_retention: maybe(oneOf('in_memory', '24h')),
    safety_identifier: maybe(text(64)),
    service_tier: maybe(oneOf('auto', 'default')),
    stream_options: maybe(closed({ include_obfuscation: maybe(Type.Boolean()) })),
    top_logprobs: maybe(Type.Literal(0)),
    truncation: maybe(Type.Literal('disabled')),
    user: maybe(text(256)),
  },
  { title: 'CreateResponse' },
)
export type CreateResponse = Static<typeof CreateResponse>

const Tokens = Type.Integer({ minimum: 0 })
const Status = oneOf('in_progress', 'completed', 'incomplete', 'failed', 'cancelled')

/** One of the output's items; its `type` says which members it has. */
const Output = Type.Object({
  type: oneOf('message', 'function_call', 'reasoning'),
  id: Type.String(),
  status: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  content: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.String(),
        text: Type.String(),
        annotations: Type.Array(Type.Unknown(), { maxItems: 0 }),
        logprobs: Type.Array(Type.Unknown(), { maxItems: 0 }),
      }),
      { maxItems: 1 },
    ),
  ),
  call_id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.String()),
  summary: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
  encrypted_content: Type.Optional(Type.String()),
})
export type Output = Static<typeof Output>

export const ResponseView = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Integer(),
    status: Status,
    background: Type.Literal(false),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    incomplete_details: nullable(Type.Object({ reason: Type.String() })),
    instructions: nullable(Type.String()),
    max_output_tokens: Type.Integer(),
    metadata: Type.Record(Type.String(), Type.String()),
    model: Type.String(),
    output: Type.Array(Output, { maxItems: 200 }),
    parallel_tool_calls: Type.Boolean(),
    previous_response_id: nullable(Type.String()),
    reasoning: Type.Object({ effort: nullable(Type.String()), summary: Type.Null() }),
    service_tier: Type.Literal('default'),
    store: Type.Boolean(),
    temperature: nullable(Type.Number()),
    text: Type.Object({ format: Type.Unknown() }),
    tool_choice: Type.Unknown(),
    tools: Type.Array(Type.Unknown(), { maxItems: 64 }),
    top_p: nullable(Type.Number()),
    truncation: Type.Literal('disabled'),
    usage: nullable(
      Type.Object({
        input_tokens: Tokens,
        input_tokens_details: Type.Object({ cached_tokens: Tokens }),
        output_tokens: Tokens,
        output_tokens_details: Type.Object({ reasoning_tokens: Tokens }),
        total_tokens: Tokens,
      }),
    ),
  },
  { title: 'Response' },
)
export type ResponseView = Static<typeof ResponseView>
