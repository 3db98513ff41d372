/** Models, their aliases and prices in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { Currency } from '../schemas.ts'

export const ModelState = oneOf('draft', 'active', 'draining', 'disabled')
export type ModelState = Static<typeof ModelState>
const Capability = oneOf(
  'text',
  'embedding',
  'json_schema',
  'stream',
  'tools',
  'image',
  'document',
  'reasoning',
  'seed',
)
const Tokens = count(0, 10_000_000)
const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$', maxLength: 128 })
const Alias = Type.String({ pattern: '^[a-z][a-z0-9_.-]{0,63}$', minLength: 1, maxLength: 64 })

const AliasOf = closed({
  alias: Alias,
  priority: Type.Optional(count(0, 1000)),
  weight: Type.Optional(count(0, 1000)),
})

export const CreateModel = closed(
  {
    provider: text(50),
    model_name: Name,
    version: Type.Optional(text(50)),
    capability: Type.Array(Capability, { minItems: 1, maxItems: 9, uniqueItems: true }),
    region: Type.Optional(text(50)),
    max_context: count(1, 10_000_000),
    max_output: Tokens,
    state: Type.Optional(oneOf('draft', 'active')),
    aliases: Type.Optional(Type.Array(AliasOf, { maxItems: 20 })),
    tenant_id: Type.Optional(Id),
  },
  { title: 'CreateModel' },
)
export type CreateModel = Static<typeof CreateModel>

export const ChangeModel = closed(
  {
    state: Type.Optional(ModelState),
    max_context: Type.Optional(count(1, 10_000_000)),
    max_output: Type.Optional(Tokens),
    aliases: Type.Optional(Type.Array(AliasOf, { maxItems: 20 })),
  },
  { title: 'ChangeModel' },
)
export type ChangeModel = Static<typeof ChangeModel>

/** Money per million tokens; the columns are numeric(20, 8) and not negative. */
const Amount = Type.String({
  examples: ['1.25'],
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,8})?$',
  maxLength: 21,
})
const Price = {
  currency: Currency,
  input: Amount,
  cached_input: Amount,
  output: Amount,
}

export const CreatePrice = closed(
  { model_deployment_id: Id, ...Price, effective_from: Type.Optional(Time) },
  { title: 'CreateModelPrice' },
)
export type CreatePrice = Static<typeof CreatePrice>

export const PriceState = oneOf('in_force', 'scheduled', 'replaced')

export const PriceView = Type.Object(
  {
    model_deployment_id: Id,
    price_version: Type.Integer(),
    unit: Type.Literal('1m_tokens'),
    ...Price,
    effective_from: Time,
    created_at: Time,
    state: PriceState,
  },
  { title: 'ModelPrice' },
)

export const ModelView = Type.Object(
  {
    id: Type.String({ maxLength: 64 }),
    deployment_id: Id,
    object: Type.Literal('model'),
    name: Type.String(),
    created: Type.Integer(),
    owned_by: Type.String(),
    provider: Type.String(),
    model_name: Type.String(),
    version: Type.String(),
    capability: Type.Array(Capability, { maxItems: 9 }),
    state: ModelState,
    region: Type.String(),
    max_context: Type.Integer(),
    max_output: Type.Integer(),
    policy_version: Type.String(),
    owner: oneOf('platform', 'tenant'),
    own_provider: Type.Boolean(),
    aliases: Type.Array(
      Type.Object({ alias: Type.String(), priority: Type.Integer(), weight: Type.Integer() }),
      { maxItems: 100 },
    ),
    price: nullable(
      Type.Object({
        price_version: Type.Integer(),
        currency: Type.String(),
        unit: Type.Literal('1m_tokens'),
        input: Type.String(),
        cached_input: Type.String(),
        output: Type.String(),
      }),
    ),
    health: oneOf('ok', 'degraded', 'open'),
    row_version: Type.Integer(),
  },
  { title: 'Model' },
)
export type ModelView = Static<typeof ModelView>
