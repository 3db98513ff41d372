/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const pricesReference: Reference['members'] = {
  ...ofNoun('PriceVersion AddPriceVersion', {
    amount_minor: 'The price of one unit.',
  }),
}
