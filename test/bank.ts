/** Money in the account book: what tests of doubled and lost effects move and count. */
import { expect } from 'vitest'
import { call, newKey, type Person, type World } from './world.ts'

export type Bank = {
  readonly teller: Person
  /** Opens an account and answers its id. */
  open(balance_minor: number): Promise<string>
  balance(account_id: string): Promise<number>
  /** Moves money; by default under a key of its own, in this world's process. */
  transfer(
    from_id: string,
    to_id: string,
    amount_minor: number,
    how?: { key?: string; url?: string; person?: Person },
  ): ReturnType<typeof call>
}

export async function openBank(world: World): Promise<Bank> {
  const teller = world.person()
  await world.grant(teller, 'book.transfers.make')
  return {
    teller,
    open: async balance_minor => {
      const body = { name: 'account', balance_minor }
      const answer = await world.call('POST', '/v1/book/accounts', { token: teller.token, body })
      expect(answer.status).toBe(201)
      return answer.body.id as string
    },
    balance: async account_id => {
      const answer = await world.call('GET', `/v1/book/accounts/${account_id}`, {
        token: teller.token,
      })
      return answer.body.balance_minor as number
    },
    transfer: (
      from_id,
      to_id,
      amount_minor,
      { key = newKey(), url = world.url, person = teller } = {},
    ) =>
      call(url, 'POST', '/v1/book/transfers', {
        token: person.token,
        key,
        body: { from_id, to_id, amount_minor },
      }),
  }
}
