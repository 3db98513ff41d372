/** One permission of an account. */
import { Type } from 'typebox'

export const Grant = Type.Object({ permission: Type.String() })
