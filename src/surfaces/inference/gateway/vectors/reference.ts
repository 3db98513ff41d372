/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const gatewayVectorsReference: Reference['members'] = {
  ...ofNoun('Embeddings', {
    object: 'What the reply is.',
    'data.object': 'What the item is.',
    'data.index': 'The place of its text in the input.',
    'data.embedding': 'The vector, as numbers or in base64.',
    usage: 'The tokens of the call.',
    'usage.prompt_tokens': 'Tokens of the input.',
    'usage.total_tokens': 'The same.',
  }),
  ...ofNoun('CreateEmbeddings', {
    input: 'The text, or up to so many texts as the limit says.',
    encoding_format: 'How vectors are written.',
    dimensions: 'The length of the vectors, if the model can shorten them.',
    user: 'It has no effect here.',
  }),
}
