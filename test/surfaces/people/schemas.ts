/** One permission that somebody holds. */
import { Type } from 'typebox'

export const Grant = Type.Object({ permission: Type.String() })
