/**
 * Refuses card numbers anywhere in a body: a text of 13 to 19 digits that starts like a card number
 * and passes the Luhn check. The body is neither stored nor logged. Ids are left out: the digits of one
 * UUID in 13,500 look like a card number, and its cart could never be ordered.
 */
import { problem } from '../errors.ts'

const starts = /^(?:3[467]|4|5[1-5]|6011|65|22[2-9]|2[3-6]|27[01]|2720)/
const depth_max = 32

export function refuseCardData(body: unknown): void {
  if (holdsCard(body, 0)) {
    throw problem('card_data_refused', {
      detail: 'Send a payment method of the provider, such as pm_…, and never a card number.',
    })
  }
}

function holdsCard(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return numbersIn(value).some(isCard)
  if (typeof value === 'number') return isCard(String(value))
  if (typeof value !== 'object' || value === null || depth > depth_max) return false
  return Object.entries(value).some(([name, one]) => isCard(name) || holdsCard(one, depth + 1))
}

const uuids = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi

/** Runs of digits, with or without the spaces and dashes that people write. */
function numbersIn(text: string): string[] {
  const runs = text.replaceAll(uuids, 'id').match(/\d(?:[ -]?\d){12,18}(?![\d])/g) ?? []
  return runs.map(one => one.replaceAll(/[ -]/g, ''))
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
