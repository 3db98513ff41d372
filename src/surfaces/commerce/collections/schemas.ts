/** Collections in requests and replies: products that a shop shows together. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, text, Time, Version } from '#dodeca/kernel'
import { GivenFacet } from '../catalog/facets.ts'
import { Word } from '../schemas.ts'

const all = Type.Array(GivenFacet, { minItems: 1, maxItems: 20 })
const product_ids = Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })

export const PutCollection = closed(
  { title: text(200), all: Type.Optional(all), product_ids: Type.Optional(product_ids) },
  { title: 'PutProductCollection' },
)
export type PutCollection = Static<typeof PutCollection>

export const Collection = Type.Object(
  {
    key: Word,
    title: text(200),
    all: nullable(all),
    product_ids: nullable(product_ids),
    version: Version,
    updated_at: Time,
  },
  { title: 'ProductCollection' },
)
export type Collection = Static<typeof Collection>
