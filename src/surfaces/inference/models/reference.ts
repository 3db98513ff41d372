/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const modelsReference: Reference['members'] = {
  ...ofNoun('ModelPrice CreateModelPrice', {
    model_deployment_id: 'The deployment whose price it is.',
  }),
  ...ofNoun('ModelPrice', {
    price_version: 'The number of the price.',
  }),
  ...ofNoun('Model CreateModel ChangeModel', {
    'aliases.priority': 'Deployments with a lower number are asked first.',
  }),
  ...ofNoun('Model', {
    object: 'What the reply is.',
    policy_version: 'The version of the safety policy that holds for it.',
    owner: 'Whether the platform or the tenant has set it up.',
    own_provider: "Whether the provider is the tenant's own.",
    price: 'What tokens cost; null if no price is known.',
    'price.currency': 'The currency of the price.',
    'price.unit': 'The prices are of a million tokens.',
    'price.input': 'The price of input tokens.',
    'price.cached_input': 'The price of input tokens that the provider had cached.',
    'price.output': 'The price of output tokens.',
  }),
  ...ofNoun('Model CreateModel', {
    provider: 'The provider that runs it.',
    model_name: 'The name of the model at the provider.',
    version: 'The version of the model at the provider.',
    region: 'Where it runs.',
  }),
  ...ofNoun('Model CreateModel ChangeModel', {
    state: 'Only an `active` model gets new calls.',
    aliases: 'The names by which calls choose it.',
    'aliases.alias': 'A name such as `default`.',
    'aliases.weight': 'Its share of the calls to this name.',
  }),
  ...ofNoun('CreateModel', {
    tenant_id: 'The tenant that may use it. Without it, that of the caller.',
  }),
  ...ofNoun('ModelPrice CreateModelPrice', {
    unit: 'The prices are of a million tokens.',
    currency: 'The currency of the price.',
    input: 'The price of input tokens.',
    cached_input: 'The price of input tokens that the provider had cached.',
    output: 'The price of output tokens.',
  }),
  ...ofNoun('ModelPrice', {
    created_at: 'When the price was entered.',
    state: 'Whether it is charged now, later, or no more.',
  }),
}
