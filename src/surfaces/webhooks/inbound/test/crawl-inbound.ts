/** How the crawler makes sources and receipts, and signs what it sends to them. */
import type { Maker, Recipe, Subject } from '../../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { byStandard, newWhsec } from './signers.ts'

type Making = Maker<ProductWorld, Member>

const provider = 'standard'
const secrets = new Map<string, string>()

async function source({ ask }: Making): Promise<string> {
  const account = `acct-${newId()}`
  const secret = newWhsec()
  await ask('PUT', `/v1/inbound-sources/${provider}/${account}`, {
    scheme: 'standard',
    secrets: [{ version: 1, value: secret }],
  })
  secrets.set(account, secret)
  return account
}

function message({ world }: Making, account: string) {
  const seconds = world.platform.kernel.clock.nowSeconds()
  return byStandard({ secret: secrets.get(account) ?? '', seconds, url: '' })
}

async function receipt(maker: Making): Promise<string> {
  const account = await source(maker)
  const sent = message(maker, account)
  const answer = await maker.world.call('POST', `/v1/inbound/${provider}/${account}`, sent)
  if (answer.status !== 204) throw new Error(`not received: ${answer.text}`)
  const query = `?provider=${provider}&provider_account=${account}`
  const { data } = await maker.ask('GET', `/v1/inbound-receipts${query}`)
  return data[0].id
}

/** A provider is a name, not a resource of a tenant. */
const named = { shared: true, make: () => provider } as const

export const inboundSubjects: Readonly<Record<string, Subject<ProductWorld, Member>>> = {
  '/v1/inbound/{provider}': named,
  '/v1/inbound/{provider}/{account_ref}': { shared: true, make: source },
  '/v1/inbound-sources/{provider}': named,
  '/v1/inbound-sources/{provider}/{account_ref}': { make: source },
  '/v1/inbound-receipts/{id}': { make: receipt },
}

export const inboundRecipes: Readonly<Record<string, Recipe<ProductWorld, Member>>> = {
  'POST /v1/inbound/{provider}/{account_ref}': {
    request: (maker, { account_ref = '' }) => {
      const { body, headers } = message(maker, account_ref)
      return { bytes: Buffer.from(body), headers }
    },
  },
}
