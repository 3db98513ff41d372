/** One event for each changed account, so that a consumer can count its versions. */
import { Type } from 'typebox'
import { Id } from '#dodeca/kernel'

export const events = {
  'account.moved': { version: 1, data: Type.Object({ account_id: Id, transfer_id: Id }) },
} as const
