/** Accounts with a balance, and transfers between them. */
import { type Static, Type } from 'typebox'
import { Amount, closed, Id, PositiveAmount, text, Time, Version } from '#dodeca/kernel'

export const Account = Type.Object(
  { id: Id, name: Type.String(), balance_minor: Amount, version: Version },
  { title: 'BookAccount' },
)
export type Account = Static<typeof Account>

export const OpenAccount = closed({
  name: text(100),
  balance_minor: Amount,
  /** There is one account with a number. */
  number: Type.Optional(text(40)),
})

export const Transfer = Type.Object(
  { id: Id, from_id: Id, to_id: Id, amount_minor: PositiveAmount, created_at: Time },
  { title: 'BookTransfer' },
)
export type Transfer = Static<typeof Transfer>

export const MakeTransfer = closed({ from_id: Id, to_id: Id, amount_minor: PositiveAmount })
export type MakeTransfer = Static<typeof MakeTransfer>

export const Moved = Type.Object({ account_id: Id, version: Version })
