/** The explanations of this surface in the published document. */
import type { Reference } from '#dodeca/kernel'
import { gatewayChatReference } from './gateway/chat/reference.ts'
import { gatewayMessagesReference } from './gateway/messages/reference.ts'
import { gatewayResponsesReference } from './gateway/responses/reference.ts'
import { gatewayVectorsReference } from './gateway/vectors/reference.ts'
import { inferencesReference } from './inferences/reference.ts'
import { jobsReference } from './jobs/reference.ts'
import { modelsReference } from './models/reference.ts'
import { ownProvidersReference } from './own-providers/reference.ts'
import { quotasReference } from './quotas/reference.ts'
import { reportsReference } from './reports/reference.ts'
import { usageReference } from './usage/reference.ts'

export const reference: Reference = {
  introduction:
    'Model calls: blocking, streamed and in jobs. Quotas are reserved before a provider is called, and usage is recorded for everything that was sent. A stream has exactly one terminal event; a stream that ends without it is incomplete. A retry with the same Idempotency-Key continues the same call or gets its recorded outcome. It never starts a second call.',
  members: {
    ...gatewayChatReference,
    ...gatewayVectorsReference,
    ...gatewayMessagesReference,
    ...gatewayResponsesReference,
    ...inferencesReference,
    ...jobsReference,
    ...reportsReference,
    ...modelsReference,
    ...ownProvidersReference,
    ...quotasReference,
    ...usageReference,
    'path.scope_type': ['Whether it holds for a tenant, a person or key, or a tag.'],
    'query.waits_for': ['`approval`: only calls with a tool that waits for a yes.'],
    model: ['An alias, such as `default`, or the id of a model.', 'default'],
    'CreateInference.input': [
      'The prompt, or the turns of a conversation.',
      'Write one sentence about the sea.',
    ],
    'CreateInferenceJob.input': [
      'The prompt, or the turns of a conversation.',
      'Write one sentence about the sea.',
    ],
    prompt: ['What to write, up to 20,000 characters.', 'Write one sentence about the sea.'],
    title: ['The title of the report.', 'Shipping times in March'],
    stream: ['Whether the reply is a stream of events instead of JSON.'],
    max_output_tokens: ['The maximum number of tokens that the model may write.', 256],
    temperature: ['How much the model varies: 0 is least.', 0.7],
    top_p: ['The share of the most likely tokens that the model chooses from.', 1],
    instructions: ['What the model should do with the input; the server prompt goes before it.'],
    stop: ['The output ends before the first of these texts.', ['\n\n']],
    seed: ['For models that repeat themselves: the same seed gives the same output.', 7],
    reasoning_effort: ['How long the model thinks before it answers.', 'low'],
    tools: [
      'What the model may call: a `function` of yours, which you run, or an `operation` of the platform, which is performed with your rights.',
    ],
    max_steps: ['How often the model may answer while operations are performed.', 8],
    max_cost: ['No further step begins that could cost more.', '0.25'],
    approval: ['Whether a write waits for your approval. `confirm` operations always wait.'],
    approve: ['Whether the call may be performed.'],
    tool_call_id: ['The call of the call before that waits for an approval.'],
    steps: ['Answers of the model that called operations, with the calls and their results.'],
    tool_choice: [
      'Whether the model may or must call a tool, or the name of the one it must call.',
    ],
    tool_calls: ['The calls that the model asks for. `arguments` is the text of a JSON object.'],
    file_id: ['A file of yours that you uploaded, instead of its bytes.'],
    previous_id: ['A call of yours that this one continues. Its input and output come first.'],
    response_format: ['JSON that fits a schema instead of text.'],
    deadline_ms: ['The longest time of the call.', 30_000],
    fallback: ['Whether another deployment may answer if the first one fails.'],
    store: ['If false, input and output are erased when no retry can need them any more.'],
    metadata: ['Up to 16 pairs of your own, returned with the call.'],
    priority: ['The priority of this job among your waiting jobs.'],
    deadline_at: ['The time at which the call is stopped.'],
    finish_reason: ['Why the output ended. `length` means the limit of the call.'],
    model_snapshot: ['The version of the model that answered, as the provider names it.'],
    model_deployment_id: ['The deployment that answered.'],
    prompt_version: ['The server prompt that the call was made with.', 'plain@1'],
    cost_amount: ['An exact decimal in `currency`.', '0.00041250'],
    price_version: ['The price that the cost was computed with.', 1],
    input_units: ['Tokens of the input.', 21],
    cached_input_units: ['The input tokens that the provider had cached.', 0],
    output_units: ['Tokens of the output.', 64],
    reasoning_units: ['Of these, the tokens that the model used for thinking.', 0],
    'Inference.attempts': ['How often the provider was asked.', 1],
    'InferenceJob.attempts': ['The attempts to send the request to the provider, in order.'],
    capability: ['What the model can do.'],
    max_context: ['The maximum number of tokens of input and output together.', 128_000],
    max_output: ['The maximum number of tokens of an output.', 16_384],
    owned_by: ['The provider of the model.', 'openai'],
    created: ['When the model was added, in seconds since 1970.', 1_772_409_600],
    'Model.id': [
      'What a call takes as `model`: an alias that leads to it, or its own id.',
      'default',
    ],
    deployment_id: ['The deployment, also in `model_deployment_id` of calls.'],
    'Model.name': ['An alias of the model, or its name at the provider.', 'default'],
    health: ['`open`: calls are refused until the provider works again.'],
    row_version: ['Increases with every change. The ETag contains it.', 1],
    tags: [
      'What the cost is for. Up to four are sent with a call; those of its principal are added.',
      ['feature:search'],
    ],
    group_by: ['How the lines are grouped. A call with two tags is in the lines of both.'],
    interval: ['With `day`, each group has a line for each day.'],
    scope: ['Your own, or of the whole tenant.'],
    actor_id: ['The person or key that made the call.'],
    from: ['The first day.', '2026-03-01'],
    to: ['The last day.', '2026-03-31'],
    limits: ['The limits that are set. `GET /v1/quotas` shows what holds.'],
    cost_per_day: ['The budget of a day of UTC, in units of the currency (USD), such as 0.5.', 5],
    tokens_per_day: ['Input and output tokens of a day of UTC.', 2_000_000],
    tokens_per_minute: ['Input and output tokens of a minute.', 60_000],
    requests_per_minute: ['Calls that may begin in a minute.', 60],
    operations: ['Calls that may run at the same time.', 8],
    streams: ['Streams that may run at the same time.', 4],
    scope_id: ['The id of the tenant or principal, or the tag.', 'feature:search'],
    metric: ['The metric that is limited.'],
    resets_at: ['When the time range ends; null if it has no end.'],
    effective_from: ['The time from which the price is charged.'],
    safety: ['What the safety policy decided, by stage and category.'],
  },
}
