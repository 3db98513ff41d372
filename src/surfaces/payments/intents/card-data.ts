/**
 * Refuses card numbers anywhere in a body: 13 to 19 digits that start like a card number and pass
 * the Luhn check, also with other digits before or after them. The body is neither stored nor
 * logged. Ids are left out: the digits of one UUID in 13,500 look like a card number, and its cart
 * could never be ordered.
 */
import { escapePointer } from '#dodeca/kernel'
import { refuseMember } from '../errors.ts'

const starts = /^(?:3[467]|4|5[1-5]|6011|65|22[2-9]|2[3-6]|27[01]|2720)/
const depth_max = 32

export function refuseCardData(body: unknown): void {
  const pointer = findCard(body, '', 0)
  if (pointer === undefined) return
  const detail = 'Send a payment method of the provider, such as pm_…, and never a card number.'
  throw refuseMember('card_data_refused', pointer, detail)
}

/** Returns a pointer to the first card number. A name that holds one is not part of it. */
function findCard(value: unknown, pointer: string, depth: number): string | undefined {
  if (typeof value === 'string') return numbersIn(value).some(isCard) ? pointer : undefined
  if (typeof value === 'number') return isCard(String(value)) ? pointer : undefined
  if (typeof value !== 'object' || value === null || depth > depth_max) return undefined
  for (const [name, one] of Object.entries(value)) {
    if (numbersIn(name).some(isCard)) return pointer
    const found = findCard(one, `${pointer}/${escapePointer(name)}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** What people write between the groups of a number; the second one is the minus sign. */
const between = String.raw`\s\p{Pd}\u2212._/`
const close = separatedBy(between)
/** Times, prices and coordinates are written with these too, so only groups as on a card count. */
const wide = separatedBy(`${between},+:~`)

function separatedBy(separators: string) {
  const run = new RegExp(String.raw`\d(?:[${separators}]{0,3}\d)*`, 'gu')
  const gap = new RegExp(`[${separators}]+`, 'u')
  return (text: string) => [...text.matchAll(run)].map(([found]) => found.split(gap))
}

/** In groups, other numbers look like cards too often, so only the usual lengths count. */
const grouped = /^(?:3[47]\d{13}|36\d{12}|[2456]\d{15})$/

/** Shown as nothing, or as a mark on the digit before it. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}]/gu
const uuids = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi

/** Numbers in a text: each group of digits, all of a run, and groups of a run as on a card. */
function numbersIn(text: string): string[] {
  // Compatibility forms become plain digits and spaces, such as those that are copied from a page.
  // Invisible characters go, and digits of other scripts become those that a card shows.
  const plain = text
    .normalize('NFKC')
    .replaceAll(unseen, '')
    .replaceAll(/(?!\d)\p{Nd}/gu, digitOf)
    .replaceAll(uuids, 'id')
  return [
    ...close(plain).flatMap(groups => [...groups, groups.join('')]),
    ...wide(plain).flatMap(groups => groups.flatMap((_, at) => asOnCard(groups.slice(at, at + 5)))),
  ]
}

const other_digit = /^\p{Nd}$/u

/** The ten digits of a script follow each other in Unicode, from its zero on. */
function digitOf(one: string): string {
  const at = one.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && other_digit.test(String.fromCodePoint(at - value - 1))) value++
  return String(value)
}

function asOnCard(groups: readonly string[]): string[] {
  if (groups[0]?.length !== 4) return []
  return groups.map((_, at) => groups.slice(0, at + 1).join('')).filter(one => grouped.test(one))
}

function isCard(digits: string): boolean {
  if (!/^\d{13,19}$/.test(digits) || !starts.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
