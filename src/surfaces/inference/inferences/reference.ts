/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const inferencesReference: Reference['members'] = {
  ...ofNoun('InferencePart', {
    type: 'What the part is.',
    text: 'The text of the part.',
    media_type: 'The type of `data`.',
    name: 'The name of the document.',
  }),
  ...ofNoun('InferenceItem', {
    type: 'What the item is. Without it, a message.',
    role: 'Who speaks.',
    content: 'The text, or its parts.',
    id: 'The id of the call of a tool.',
    name: 'The name of the tool.',
    arguments: 'The arguments, as the text of a JSON object.',
    output: 'The result of the tool.',
    is_error: 'Whether the tool failed.',
  }),
  ...ofNoun('InferenceTool', {
    type: 'A `function` of yours, or an `operation` of the platform.',
    name: 'The name of the function or the operation.',
    description: 'What it does, for the model.',
    schema: 'The JSON Schema of its arguments.',
  }),
  ...ofNoun('InferenceToolCall', {
    id: 'The id of the call, which its result names.',
    name: 'The name of the tool.',
    arguments: 'The arguments, as the text of a JSON object.',
  }),
  ...ofNoun('InferenceParameters', {
    'tool_choice.name': 'The tool that the model must call.',
    'response_format.type': 'Text, or JSON that fits a schema.',
    'response_format.name': 'A name for the schema.',
    'response_format.schema': 'The JSON Schema.',
  }),
  ...ofNoun('CreateInferenceJob CreateInference', {
    parameters: 'How the call is made.',
  }),
  ...ofNoun('InferenceStep', {
    text: 'What the model wrote beside the calls.',
    'tool_calls.id': 'The id of the call.',
    'tool_calls.name': 'The operation.',
    'tool_calls.state': 'How far the call is.',
    'tool_calls.arguments': 'The arguments; null when they are erased.',
    'tool_calls.output': 'What the operation returned.',
  }),
  ...ofNoun('InferenceUsage', {
    unit: 'What is counted.',
    source: 'Whether the provider counted, or the platform estimated.',
    currency: 'The currency of the cost.',
  }),
  ...ofNoun('Inference InferenceSummary', {
    object: 'What the reply is.',
    state: 'Where the call is in its life.',
    usage: 'What was used; null until it is known.',
    error: 'Why it failed; null if it did not.',
    'error.code': 'The reason.',
    'error.retryable': 'Whether the same call may succeed later.',
    job_id: 'The job that makes the call; null if the request did.',
    cancel_requested_at: 'When a cancellation was requested.',
    started_at: 'When the provider was first asked.',
    completed_at: 'When it ended.',
    'safety.stage': 'Whether the input or the output was looked at.',
    'safety.category': 'What was found.',
    'safety.decision': 'What the policy did about it.',
    'safety.policy_version': 'The version of the policy.',
  }),
  ...ofNoun('Inference', {
    output: 'What the model answered; null until it has.',
    'output.type': 'Whether the output is text or JSON.',
    'output.text': 'The text.',
    'output.json': 'The output as JSON.',
    request_id: 'The id that the provider gave the request.',
  }),
  ...ofNoun('InferenceSummary', {
    attempts: 'How often the provider was asked.',
  }),
  ...ofNoun('Generation', {
    text: 'What the model wrote.',
    request_id: 'The id that the provider gave the request.',
  }),
}
