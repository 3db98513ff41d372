/** Row shapes that more than one folder of retrieval uses. */
import { Type } from 'typebox'

/** The bytes of a row; they are never sent. */
export const Bytes = Type.Unsafe<Buffer>(Type.Any())
