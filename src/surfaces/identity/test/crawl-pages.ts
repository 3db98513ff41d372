/** What the crawler types into the account pages; those of a session lead a visitor without one to the log-in. */
import type { Recipe } from '../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { stopToken } from './crawl-factors.ts'
import * as people from './crawl-people.ts'

type Fields = Record<string, string>
type Made = Recipe<ProductWorld, Member>

const sends = (fields: (maker: people.Making) => Promise<Fields> | Fields): Made => ({
  request: async maker => ({
    bytes: Buffer.from(new URLSearchParams(await fields(maker)).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
})

const address = ({ person }: people.Making) => ({
  email: people.newEmail(),
  tenant: person.tenant.slug,
})

const password = async (maker: people.Making) => {
  const { token, new_password } = await people.mailedReset(maker)
  return { token, password: new_password }
}

export const pageRecipes: Readonly<Record<string, Made>> = {
  'POST /account/register': sends(people.registration),
  'POST /account/send-again': sends(address),
  'POST /account/verify': sends(async maker => {
    const { token } = await people.mailedVerification(maker)
    return { token, password: people.registration(maker).password }
  }),
  'POST /account/login': sends(({ person }) => people.credentials(person)),
  'POST /account/forgot': sends(address),
  'POST /account/code': sends(address),
  'POST /account/reset': sends(password),
  'POST /account/invite': sends(password),
  'POST /account/keep-factors': sends(async maker => ({ token: await stopToken(maker) })),
}
