/** Sources of a tenant in a product world, and messages that arrive there. */
import { randomBytes } from 'node:crypto'
import type { Member, ProductWorld } from '../../../../../test/product-world.ts'
import type { Answer } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import type { SchemeName } from '../schemas.ts'
import { newWhsec, type Signed, type Signing } from './signers.ts'

export type TestSource = {
  readonly owner: Member
  readonly path: string
  readonly address: string
  readonly secret: string
  /** What a provider signs with at this moment, or at another. */
  signing(age_seconds?: number): Signing
  send(signed: Signed, headers?: Record<string, string>): Promise<Answer>
  receipts(): Promise<Receipt[]>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
export type Receipt = any

export async function ownerIn(world: ProductWorld): Promise<Member> {
  const member = await world.member()
  await world.give(member, 'tenant_admin')
  return member
}

const newSecretOf = (scheme: SchemeName) =>
  scheme === 'standard' ? newWhsec() : randomBytes(16).toString('hex')

export async function openSource(
  world: ProductWorld,
  scheme: SchemeName,
  more: object = {},
  given?: { owner?: Member; account?: string; provider?: string; secret?: string },
): Promise<TestSource> {
  const owner = given?.owner ?? (await ownerIn(world))
  const secret = given?.secret ?? newSecretOf(scheme)
  const account = given?.account ?? `acct-${newId()}`
  const provider = given?.provider ?? scheme
  const path = `/v1/inbound-sources/${provider}/${account}`
  const address = `/v1/inbound/${provider}/${account}`
  const made = await world.call('PUT', path, {
    token: owner.token,
    body: { scheme, secrets: [{ version: 1, value: secret }], ...more },
  })
  if (made.status > 201) throw new Error(`no source: ${made.text}`)
  return {
    owner,
    path,
    address,
    secret,
    signing: (age_seconds = 0) => ({
      secret,
      seconds: world.platform.kernel.clock.nowSeconds() - age_seconds,
      url: `http://dodeca.test${address}`,
    }),
    send: ({ body, headers, search = '' }, more_headers = {}) =>
      world.call('POST', address + search, {
        body,
        headers: { ...headers, ...more_headers },
      }),
    receipts: async () => {
      const query = `?provider=${provider}&provider_account=${account}&limit=100`
      const { body } = await world.call('GET', `/v1/inbound-receipts${query}`, owner)
      return body.data
    },
  }
}
