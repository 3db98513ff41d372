/** Schemas of inference that more than one folder uses. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, map, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { Tags } from './quotas/tags.ts'

export const Decimal = Type.String({
  examples: ['1.25'],
  pattern: '^-?[0-9]{1,20}(\\.[0-9]{1,8})?$',
  maxLength: 40,
})
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 3 })
const Units = Type.Integer({ minimum: 0 })
const Word = Type.String({ maxLength: 100 })

export const ToolName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  minLength: 1,
  maxLength: 64,
})
export const CallId = Type.String({ pattern: '^[\\w.:-]{1,64}$', minLength: 1, maxLength: 64 })

const Part = closed(
  {
    type: oneOf('text', 'image', 'document'),
    text: Type.Optional(text(100_000)),
    media_type: Type.Optional(
      oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'),
    ),
    data: Type.Optional(text(7_000_000)),
    file_id: Type.Optional(Id),
    name: Type.Optional(text(255)),
  },
  { title: 'InferencePart' },
)

/** A message, a call of a tool, or its result. */
const Item = closed(
  {
    type: Type.Optional(oneOf('message', 'tool_call', 'tool_result')),
    role: Type.Optional(oneOf('user', 'assistant')),
    content: Type.Optional(
      Type.Union([text(100_000), Type.Array(Part, { minItems: 1, maxItems: 64 })]),
    ),
    id: Type.Optional(CallId),
    name: Type.Optional(ToolName),
    arguments: Type.Optional(text(65_536)),
    output: Type.Optional(Type.String({ maxLength: 200_000 })),
    is_error: Type.Optional(Type.Boolean()),
  },
  { title: 'InferenceItem' },
)
const Input = Type.Union([text(200_000), Type.Array(Item, { minItems: 1, maxItems: 256 })])

export const Metadata = map(text(64), Type.String({ maxLength: 512 }), 16)

/** The code that uses this value validates it as a schema. */
export const JsonSchema = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

const ResponseFormat = closed({
  type: oneOf('text', 'json_schema'),
  name: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', minLength: 1, maxLength: 64 }),
  ),
  schema: Type.Optional(JsonSchema),
})

/** Restrictions of other APIs that have no effect here, with what to use instead. */
export const instead_of_calls = {
  max_tokens: 'parameters.max_output_tokens',
  max_completion_tokens: 'parameters.max_output_tokens',
  timeout: 'parameters.deadline_ms',
} as const

const Tool = closed(
  {
    type: Type.Literal('function'),
    name: ToolName,
    description: Type.Optional(text(4000)),
    schema: JsonSchema,
  },
  { title: 'InferenceTool' },
)

export const Efforts = oneOf('none', 'minimal', 'low', 'medium', 'high')
export const Stops = Type.Array(text(64), { minItems: 1, maxItems: 4 })
export const Seed = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const CallParameters = closed(
  {
    stop: Type.Optional(Stops),
    seed: Type.Optional(Seed),
    reasoning_effort: Type.Optional(Efforts),
    tools: Type.Optional(Type.Array(Tool, { minItems: 1, maxItems: 64 })),
    tool_choice: Type.Optional(
      Type.Union([oneOf('auto', 'none', 'required'), closed({ name: ToolName })]),
    ),
    max_output_tokens: Type.Optional(count(1, 1_000_000)),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    instructions: Type.Optional(text(8000)),
    response_format: Type.Optional(ResponseFormat),
    deadline_ms: Type.Optional(count(1000, 600_000)),
    fallback: Type.Optional(oneOf('allow', 'deny')),
    store: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
  },
  { title: 'InferenceParameters' },
)

export const asked = {
  model: text(128),
  input: Input,
  previous_id: Type.Optional(Id),
  tags: Type.Optional(Tags),
  parameters: Type.Optional(CallParameters),
} as const

export const OperationState = oneOf(
  'pending',
  'running',
  'reconciling',
  'succeeded',
  'failed',
  'blocked',
  'cancelled',
  'expired',
)

export const InferenceUsage = Type.Object(
  {
    input_units: Units,
    cached_input_units: Units,
    output_units: Units,
    reasoning_units: Units,
    unit: Type.Literal('token'),
    source: oneOf('provider', 'estimated'),
    cost_amount: Decimal,
    currency: Currency,
    price_version: Units,
  },
  { title: 'InferenceUsage' },
)

export const InferenceView = Type.Object(
  {
    id: Id,
    object: Type.Literal('inference'),
    state: OperationState,
    model: Word,
    model_deployment_id: Id,
    model_snapshot: nullable(Word),
    prompt_version: Word,
    output: nullable(
      Type.Object({
        type: oneOf('text', 'json'),
        text: Type.String(),
        json: Type.Optional(Type.Unknown()),
        tool_calls: Type.Optional(
          Type.Array(
            Type.Object(
              { id: Type.String(), name: Type.String(), arguments: Type.String() },
              { title: 'InferenceToolCall' },
            ),
            { maxItems: 64 },
          ),
        ),
      }),
    ),
    finish_reason: nullable(oneOf('stop', 'length', 'tool_calls')),
    usage: nullable(InferenceUsage),
    safety: Type.Array(
      Type.Object({
        stage: oneOf('input', 'output'),
        category: Word,
        decision: oneOf('allow', 'flag', 'redact', 'block'),
        policy_version: Word,
      }),
      { maxItems: 20 },
    ),
    error: nullable(Type.Object({ code: Word, retryable: Type.Boolean() })),
    metadata: nullable(Type.Record(Type.String(), Type.String())),
    tags: Type.Array(Type.String(), { maxItems: 12 }),
    attempts: Units,
    job_id: nullable(Id),
    cancel_requested_at: nullable(Time),
    created_at: Time,
    started_at: nullable(Time),
    completed_at: nullable(Time),
    deadline_at: Time,
    request_id: Type.String({ maxLength: 100 }),
  },
  { title: 'Inference' },
)
export type InferenceView = Static<typeof InferenceView>

const { output: _output, request_id: _request_id, ...summary } = InferenceView.properties
export const InferenceSummary = Type.Object(
  { ...summary, actor_id: Id },
  { title: 'InferenceSummary' },
)
export type InferenceSummary = Static<typeof InferenceSummary>
