/** The errors of inference. They never contain text of a provider. Such text is only in the log. */
import { problemsOf, providerErrors } from '#dodeca/kernel'

export const errors = {
  model_not_found: {
    status: 404,
    title: 'There is no such model',
    cause: 'No model that you may call has this id or alias.',
    cure: 'List the models with `GET /v1/models`.',
  },
  inference_not_found: {
    status: 404,
    title: 'There is no such call',
    cause: 'No call of yours has this id.',
    cure: 'Use the `id` of the reply, or the `operation_id` of the stream.',
  },
  job_not_found: {
    status: 404,
    title: 'There is no such job',
    cause: 'No job has this id, or you may not see it.',
    cure: 'Find the id with `GET /v1/jobs`.',
  },
  quota_scope_not_found: {
    status: 404,
    title: 'There is no such quota',
    cause: 'You may set quotas of principals and tags of your tenant, and of your tenant itself.',
    cure: 'Send `principal`, `tag` or `tenant` and an id that `GET /v1/quotas` shows.',
  },
  tag_reserved: {
    status: 422,
    title: 'The tag is given by an administrator',
    cause: 'Tags that begin with `team:` are those of a principal, and no call may send them.',
    cure: 'Leave the tag out. An administrator gives it with `PUT /v1/quotas/principal/{id}`.',
  },
  too_many_tags: {
    status: 422,
    title: 'The tenant has too many tags',
    cause: 'The call has a tag that is new, and the tenant already has as many as it may have.',
    cure: 'Use one of the tags that `GET /v1/usage?group_by=tag` shows, and none for each request.',
  },
  chain_too_long: {
    status: 422,
    title: 'The conversation is too long',
    cause: 'The calls before this one are more than 64, or have more than 4 MiB together.',
    cure: 'Begin a new conversation with what matters of this one.',
  },
  inference_cancelled: {
    status: 409,
    title: 'The call was cancelled',
    cause: 'It was cancelled while it ran.',
    cure: 'Send it again with another key if you still want it.',
  },
  content_blocked: {
    status: 422,
    title: 'The content is not allowed',
    cause: 'The safety policy, or the provider, refuses the input or the output.',
    cure: 'Change the input.',
  },
  context_length_exceeded: {
    status: 422,
    title: 'The input is too long for the model',
    cause: 'Input and output together have more tokens than the context of the model.',
    cure: 'Shorten the input, ask for less output, or use a model with a larger context.',
  },
  model_capability_unsupported: {
    status: 422,
    title: 'The model cannot do this',
    cause: 'No deployment of the model has the capability that the call needs.',
    cure: 'Choose a model whose `capability` has it.',
  },
  file_not_found: {
    status: 404,
    title: 'There is no such file',
    cause: 'No file has this id, you may not read it, or it was deleted or refused.',
    cure: 'Find your files with `GET /v1/files`, or ask its owner.',
  },
  capacity_exceeded: {
    status: 503,
    title: 'No capacity became free in time',
    retryable: true,
    cause:
      'All places for calls of this model or all memory for files is taken, or the deadline cannot be met.',
    cure: 'Send it again in a few seconds.',
  },
  upstream_unreachable: {
    status: 504,
    title: 'The model provider cannot be reached',
    retryable: true,
    cause: 'The platform got no connection to the provider, so nothing was sent.',
    cure: 'Send it again in a few seconds. If it lasts, tell the operator of the platform.',
  },
  provider_name_taken: {
    status: 409,
    title: 'The platform has a provider of this name',
    cause: 'A provider of the platform has the name.',
    cure: 'Choose another name.',
  },
  provider_in_use: {
    status: 409,
    title: 'Models use the provider',
    cause: 'A model of the tenant at this provider is not disabled.',
    cure: 'Disable its models with `PATCH /v1/models/{id}`, or set the state of the provider to `disabled`.',
  },
  provider_host_not_allowed: {
    status: 422,
    title: 'The host is not allowed',
    cause:
      'Own providers may be at OpenAI, Azure, Anthropic, Google and Amazon Bedrock, and at hosts that the operator has listed.',
    cure: 'Ask the operator of the platform to add the host to `INFERENCE_TENANT_PROVIDER_HOSTS`.',
  },
  ...providerErrors,
} as const

export const problem = problemsOf(errors)

export type InferenceCode = Parameters<typeof problem>[0]
