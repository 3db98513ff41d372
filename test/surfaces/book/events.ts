/** One event a changed account, so that its versions can be counted by whoever listens. */
import { Type } from 'typebox'
import { Id } from '../../../src/kernel/http/shapes.ts'

export const events = {
  'account.moved': { version: 1, data: Type.Object({ account_id: Id, transfer_id: Id }) },
} as const
