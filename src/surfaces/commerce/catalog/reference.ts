/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const catalogReference: Reference['members'] = {
  ...ofNoun('ProductSummary Product CreateProduct ChangeProduct', {
    state: 'Buyers see `active` products.',
  }),
  ...ofNoun('Variant GivenVariant', {
    state: 'A `disabled` variant cannot be bought.',
  }),
  ...ofNoun('GivenFacet FacetValue', {
    name: 'The name of the attribute or option; null for tags and categories.',
    value: 'The value to choose.',
  }),
  ...ofNoun('FacetValue', {
    count: 'How many products have it.',
  }),
  ...ofNoun('ProductFacets', {
    products: 'How many products fit.',
    values: 'What can be chosen, the most frequent first.',
  }),
  ...ofNoun('ProductSummary', {
    title: 'The title, in the language of the request.',
    price_from: 'The lowest price of its variants; null if there is none.',
    'price_from.amount_minor': 'The lowest price.',
    image: 'The first picture; null if there is none.',
    'image.file_id': 'The file of the picture.',
    'image.url': 'Where the picture is read.',
  }),
  ...ofNoun('Variant', {
    title: 'The title of the variant.',
    price: 'The price now; null if there is none in this currency.',
    'price.amount_minor': 'The price of one unit.',
    'price.price_version_id': 'The version of the price.',
  }),
  ...ofNoun('Variant GivenVariant', {
    requires_shipping: 'Whether it is sent. What is downloaded is not.',
    track_inventory: 'Whether it can only be bought while it is in stock.',
  }),
  ...ofNoun('GivenVariant', {
    title: 'The title of the variant.',
    prices: 'The prices, one in each currency.',
    'prices.amount_minor': 'The price of one unit.',
  }),
  ...ofNoun('Product CreateProduct ChangeProduct', {
    title: 'The title in the language of the shop.',
    description: 'The description in the language of the shop.',
    'translations.title': 'The title in this language.',
    'translations.description': 'The description in this language.',
    variants: 'What can be bought.',
  }),
  ...ofNoun('Product', {
    'images.file_id': 'The file of the picture.',
    'images.url': 'Where the picture is read.',
  }),
}
