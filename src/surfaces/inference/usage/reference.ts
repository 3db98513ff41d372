/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const usageReference: Reference['members'] = {
  ...ofNoun('UsageLine', {
    day: 'The day, if days are asked for.',
    principal_id: 'The person or key, if grouped by it.',
    tag: 'The tag, if grouped by it.',
    workload: 'The kind of call, if grouped by it.',
    requests: 'How many calls were made.',
    input_tokens: 'Tokens of the input.',
    cached_input_tokens: 'Of these, tokens that the provider had cached.',
    output_tokens: 'Tokens of the output.',
    currency: 'The currency of the cost.',
  }),
}
