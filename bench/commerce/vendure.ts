/** A shop in Vendure, by its two GraphQL interfaces. */
import type { Peer, Shop } from './peer.ts'

type Data = Readonly<Record<string, unknown>>

async function ask(url: string, query: string, variables: Data = {}, token = '') {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await answer.json()) as { data: Data; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return { data, token: answer.headers.get('vendure-auth-token') ?? token }
}

const idOf = (data: Data, name: string) => (data[name] as { id: string }).id
const english = (name: string) => ({ languageCode: 'en', name })

async function setUp(admin: (query: string, input?: Data) => Promise<Data>): Promise<void> {
  const country = await admin(
    'mutation($input: CreateCountryInput!) { createCountry(input: $input) { id } }',
    { code: 'DE', enabled: true, translations: [english('Germany')] },
  )
  const zone = idOf(
    await admin('mutation($input: CreateZoneInput!) { createZone(input: $input) { id } }', {
      name: 'Europe',
      memberIds: [idOf(country, 'createCountry')],
    }),
    'createZone',
  )
  const category = idOf(
    await admin(
      'mutation($input: CreateTaxCategoryInput!) { createTaxCategory(input: $input) { id } }',
      { name: 'standard', isDefault: true },
    ),
    'createTaxCategory',
  )
  await admin('mutation($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }', {
    name: 'standard',
    enabled: true,
    value: 10,
    categoryId: category,
    zoneId: zone,
  })
  await admin(
    'mutation($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }',
    { id: '1', defaultTaxZoneId: zone, defaultShippingZoneId: zone },
  )
  await admin(
    'mutation($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { id } }',
    {
      code: 'parcel',
      fulfillmentHandler: 'manual-fulfillment',
      checker: {
        code: 'default-shipping-eligibility-checker',
        arguments: [{ name: 'orderMinimum', value: '0' }],
      },
      calculator: {
        code: 'default-shipping-calculator',
        arguments: [
          { name: 'rate', value: '500' },
          { name: 'includesTax', value: 'exclude' },
          { name: 'taxRate', value: '10' },
        ],
      },
      translations: [{ ...english('Parcel'), description: '' }],
    },
  )
  await admin(
    'mutation($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { id } }',
    {
      code: 'dummy',
      enabled: true,
      handler: {
        code: 'dummy-payment-handler',
        arguments: [{ name: 'automaticSettle', value: 'false' }],
      },
      translations: [{ ...english('Dummy'), description: '' }],
    },
  )
}

async function addProduct(
  admin: (query: string, input?: unknown) => Promise<Data>,
  sku: string,
  stock: number,
): Promise<string> {
  const product = await admin(
    'mutation($input: CreateProductInput!) { createProduct(input: $input) { id } }',
    { enabled: true, translations: [{ ...english(sku), slug: sku, description: '' }] },
  )
  const made = await admin(
    'mutation($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }',
    [
      {
        productId: idOf(product, 'createProduct'),
        sku,
        price: 1999,
        stockOnHand: stock,
        trackInventory: 'TRUE',
        translations: [english(sku)],
      },
    ],
  )
  return (made['createProductVariants'] as { id: string }[])[0]?.id ?? ''
}

const result = '__typename ... on ErrorResult { errorCode message }'

/** An order of one guest, up to its payment. */
async function fill(url: string, variant: string): Promise<string> {
  let token = ''
  const step = async (query: string, variables: Data = {}) => {
    const answer = await ask(url, query, variables, token)
    token = answer.token
    const [outcome] = Object.values(answer.data) as { errorCode?: string; message?: string }[]
    if (outcome?.errorCode) throw new Error(`${outcome.errorCode}: ${outcome.message}`)
    return answer.data
  }
  await step(
    `mutation($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) { ${result} } }`,
    { id: variant },
  )
  const emailAddress = `${crypto.randomUUID()}@example.test`
  await step(
    `mutation($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { ${result} } }`,
    { input: { firstName: 'Mara', lastName: 'Lindqvist', emailAddress } },
  )
  await step(
    `mutation($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { ${result} } }`,
    {
      input: {
        fullName: 'Mara Lindqvist',
        streetLine1: 'Lindenstraße 12',
        city: 'Berlin',
        postalCode: '10969',
        countryCode: 'DE',
      },
    },
  )
  const methods = await step('{ eligibleShippingMethods { id } }')
  const [method] = methods['eligibleShippingMethods'] as { id: string }[]
  await step(
    `mutation($ids: [ID!]!) { setOrderShippingMethod(shippingMethodId: $ids) { ${result} } }`,
    { ids: [method?.id] },
  )
  await step(
    `mutation { transitionOrderToState(state: "ArrangingPayment") { __typename ... on OrderStateTransitionError { errorCode message } } }`,
  )
  return token
}

const pay = `mutation { addPaymentToOrder(input: { method: "dummy", metadata: {} }) {
  __typename ... on Order { state } ... on ErrorResult { errorCode } } }`

async function open(url: string): Promise<Shop> {
  const admin_url = `${url}/admin-api`
  const shop_url = `${url}/shop-api`
  const login =
    'mutation { login(username: "superadmin", password: "only for a benchmark") { __typename } }'
  const { token } = await ask(admin_url, login)
  const admin = async (query: string, input?: unknown) =>
    (await ask(admin_url, query, { input }, token)).data
  await setUp(admin)
  return {
    product: stock => addProduct(admin, `thing-${stock}`, stock),
    cart: variant => fill(shop_url, variant),
    order: async cart => {
      const { data } = await ask(shop_url, pay, {}, cart)
      const { state, errorCode } = data['addPaymentToOrder'] as {
        state?: string
        errorCode?: string
      }
      return state === 'PaymentAuthorized' || state === 'PaymentSettled'
        ? 'ordered'
        : (errorCode ?? state ?? 'unknown')
    },
  }
}

export const vendure: Peer = {
  name: 'Vendure 3.7.3',
  folder: 'vendure',
  arguments: (folder, database, port) => [
    new URL('./vendure-process.ts', import.meta.url).pathname,
    folder,
    database,
    port,
  ],
  health: '/health',
  open,
}
