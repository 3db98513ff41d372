/**
 * The code that the page asks for before it shows more than the link: who has it reads the mailbox of
 * the order. It follows from the order and the time, so it is stored nowhere; it is valid for ten to
 * twenty minutes. Wrong ones are limited by order, because eight digits can be guessed.
 */
import { timingSafeEqual } from 'node:crypto'
import { limit } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Key } from '../schemas.ts'

const slot_seconds = 600
const per_seconds = 3600
const tries_max = limit(
  'commerce.order_code_tries',
  5,
  'codes/h',
  'Wrong codes on the page of one order',
)
const mails_max = limit(
  'commerce.order_code_mails',
  3,
  'mails/h',
  'Mails with a code for the page of one order',
)

type Needs = Pick<Deps, 'kernel'>

export function codeNow(kernel: Deps['kernel'], key: Key): string {
  return codeAt(kernel, key, slotOf(kernel))
}

/** Counts a mail with a code, before it is requested. */
export async function countMail({ kernel }: Needs, key: Key): Promise<void> {
  await kernel.take(kernel.db, [bucketOf('commerce.order_code_mails', key, mails_max)])
}

/** Counts a wrong code although the request fails. Throws `rate_limited` after too many of them. */
export async function isCode({ kernel }: Needs, key: Key, given: string): Promise<boolean> {
  const taken = await kernel.take(kernel.db, [bucketOf('commerce.order_codes', key, tries_max)])
  const typed = Buffer.from(given.replaceAll(/\s/g, ''))
  const slot = slotOf(kernel)
  const right = [slot, slot - 1]
    .map(at => Buffer.from(codeAt(kernel, key, at)))
    .some(code => code.length === typed.length && timingSafeEqual(code, typed))
  if (right) await taken.giveBack()
  return right
}

function slotOf({ clock }: Deps['kernel']): number {
  return Math.floor(clock.nowSeconds() / slot_seconds)
}

function codeAt({ keys }: Deps['kernel'], { tenant_id, id }: Key, slot: number): string {
  const mac = keys.mac('commerce.order_codes', Buffer.from(`${tenant_id} ${id} ${slot}`))
  return String(mac.readUIntBE(0, 6) % 1e8).padStart(8, '0')
}

function bucketOf(name: string, { tenant_id, id }: Key, most: number) {
  return { name, of: `${tenant_id} ${id}`, many: most, per_seconds, exact: true } as const
}
