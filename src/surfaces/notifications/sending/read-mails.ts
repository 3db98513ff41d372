/**
 * Mails whose address and words are asked right before they are sent: those of identity, and those of
 * the surfaces that plugged a source. A mail that is no longer wanted is left out.
 */
import { destinationHash, parseEmail } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import type { Target } from '../intents/load-facts.ts'
import { isPlugged, parseRef } from '../intents/recipient.ts'
import { wordsOf } from '../intents/render-intent.ts'
import type { Data } from '../schemas.ts'
import { keyName, unseal, type DataKeys } from '../vault.ts'
import type { Claimed } from './claim.ts'

export type Mail = {
  readonly real: Data
  readonly masked: Data
  readonly locale: string | null
  readonly target: Target
}

/** Mails of identity, by reference: text, address and token are requested only now. */
export async function readMails(
  deps: Deps,
  claimed: readonly Claimed[],
): Promise<Map<string, Mail>> {
  const found = new Map<string, Mail>()
  const { people } = deps
  for (const { tenant_id, intent_id, recipient_ref } of claimed) {
    const { kind, id } = parseRef(recipient_ref)
    if (kind !== 'identity_mail') continue
    const [mail, masked] = await Promise.all([people.mail(id), people.mail(id, 'masked')])
    const target = mail && targetOf(deps, tenant_id, mail.address)
    if (!mail || !masked || !target) continue
    const { locale } = mail
    found.set(intent_id, { real: wordsOf(mail), masked: wordsOf(masked), locale, target })
  }
  return found
}

/** Mails of other surfaces, of each kind at once. */
export async function readPlugged(
  deps: Deps,
  claimed: readonly Claimed[],
  data_keys: Promise<DataKeys>,
): Promise<Map<string, Mail>> {
  const found = new Map<string, Mail>()
  const plugged = claimed.filter(one => isPlugged(parseRef(one.recipient_ref).kind))
  if (plugged.length === 0) return found
  const keys = await data_keys
  for (const [kind, source] of deps.mails) {
    const wanted = plugged.flatMap(one => {
      const ref = parseRef(one.recipient_ref)
      const data = ref.kind === kind ? dataOf(one, keys) : null
      return data ? [{ one, ref: { tenant_id: one.tenant_id, id: ref.id, data } }] : []
    })
    if (wanted.length === 0) continue
    const words = await source(
      deps.kernel.db,
      wanted.map(({ ref }) => ref),
    )
    wanted.forEach(({ one: { tenant_id, intent_id } }, at) => {
      const mail = words[at]
      const target = mail && targetOf(deps, tenant_id, mail.address)
      if (!target) return
      const { data: real, masked, locale } = mail
      found.set(intent_id, { real, masked, locale, target })
    })
  }
  return found
}

/** Null if its key was deleted. */
export function dataOf(
  { tenant_id, owner_id, ciphertext, data_ref }: Claimed,
  keys: DataKeys,
): Data | null {
  if (owner_id === null || ciphertext === null) return null
  const key = keys.get(keyName({ tenant_id, owner_id }))
  return key ? (JSON.parse(unseal(key, ciphertext, `input ${data_ref}`)) as Data) : null
}

/** Undefined if it is no address. */
function targetOf({ kernel }: Deps, tenant_id: string, text: string): Target | undefined {
  const address = parseEmail(text)
  if (!address) return undefined
  return {
    channel: 'email',
    destination_id: null,
    provider: '',
    hash: destinationHash(kernel.keys, tenant_id, address),
    masked: address.masked,
    verified: true,
    address: address.address,
  }
}
