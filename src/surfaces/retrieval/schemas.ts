/** Row shapes that more than one folder of retrieval uses. */
import { Type } from 'typebox'

/** Bytes of a row; they never go over the wire. */
export const Bytes = Type.Unsafe<Buffer>(Type.Any())
