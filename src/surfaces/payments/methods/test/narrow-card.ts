/** The token of a session of a member that is narrower than their account. */
import { expect } from 'vitest'
import { mayBegin } from '../../../../../test/narrow.ts'
import type { Merchant, PaymentWorld } from '../../test/payment-world.ts'

export async function beginNarrow(
  { platform }: PaymentWorld,
  who: Merchant,
  ...scope: string[]
): Promise<string> {
  const session = await mayBegin(platform, who, { scope })
  expect(session).toBeDefined()
  return session?.token ?? ''
}
