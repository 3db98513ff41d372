/** The part of a body that a request asks for. */
import type { ByteRange } from '../../objects/objects.ts'

/**
 * A Range header (RFC 9110) with one range. If it is malformed, has another unit or several ranges,
 * the whole file is sent, which the RFC allows.
 */
export function rangeOf(
  header: string | string[] | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  if (header === undefined || Array.isArray(header)) return null
  const match = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/i.exec(header)
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const count = Number(last)
    return count === 0 ? 'unsatisfiable' : { start: Math.max(0, size - count), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
