/**
 * Renders the message of an intent in the form in which it was or will be sent, from the intent's
 * template version and its sealed data. Parts that only the mail itself may contain (a one-time
 * token, an unsubscribe link) are masked.
 */
import { Type } from 'typebox'
import { Id, sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Channel, Data } from '../schemas.ts'
import { hashOf, render, RenderFailure, type Rendered } from '../templates/render.ts'
import { masked_link } from '../suppressions/unsubscribe-links.ts'
import { keyName, unseal } from '../vault.ts'
import { languagesFor } from './languages.ts'
import { loadFacts } from './load-facts.ts'
import { isPlugged, parseRef } from './recipient.ts'
import type { IntentRow } from './view.ts'

const Input = Type.Object({ owner_id: Id, ciphertext: Type.Unsafe<Buffer>({}) })

export async function renderIntent(
  reader: Reader,
  deps: Deps,
  row: IntentRow,
  channel: Channel,
): Promise<Rendered & { readonly sha256: string }> {
  const { tenant_id, recipient_ref } = row
  const version = await deps.templates.of(reader, tenant_id, row.template_version)
  const template = version.channels.get(channel)
  if (!template) throw problem('channel_without_template')
  const facts = await loadFacts(reader, deps, [{ tenant_id, recipient_ref }])
  const recipient = facts.of(tenant_id, recipient_ref)
  const mail = await maskedMail(reader, deps, row)
  // A code in plain data may be shown only to the recipient.
  if (!mail && row.category === 'identity.security') throw problem('inputs_not_found')
  const data = mail ? mail.data : await inputOf(reader, deps, row)
  try {
    const rendered = render(template, {
      data,
      locales: languagesFor(deps.kernel, recipient, row.locale, mail?.locale),
      timezone: recipient.preferences?.timezone ?? 'UTC',
      now: row.created_at,
      unsubscribe_url: masked_link,
    })
    return { ...rendered, sha256: hashOf(rendered).toString('hex') }
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error
    throw problem('template_render_failed', { detail: error.message })
  }
}

/** Undefined if the notification is no mail whose words are asked when it is sent. */
async function maskedMail(
  reader: Reader,
  deps: Deps,
  row: IntentRow,
): Promise<{ readonly data: Data; readonly locale: string | null } | undefined> {
  const { kind, id } = parseRef(row.recipient_ref)
  if (isPlugged(kind)) {
    const wanted = { tenant_id: row.tenant_id, id, data: await inputOf(reader, deps, row) }
    const [found] = (await deps.mails.get(kind)?.(reader, [wanted])) ?? []
    if (!found) throw problem('inputs_not_found')
    return { data: found.masked, locale: found.locale }
  }
  if (kind !== 'identity_mail') return undefined
  const mail = await deps.people.mail(id, 'masked')
  if (!mail) throw problem('inputs_not_found')
  return { data: wordsOf(mail), locale: mail.locale }
}

type Words = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action: string
  readonly code_label: string
  readonly code: string | null
  readonly link: string | null
}

/** The data for the frame of identity's mails. */
export function wordsOf({ subject, paragraphs, action, code_label, code, link }: Words): Data {
  return { subject, paragraphs, action, code_label, code, link }
}

async function inputOf(reader: Reader, { vault }: Deps, row: IntentRow): Promise<Data> {
  const { tenant_id, data_ref } = row
  const input = await reader.maybe(
    Input,
    sql`
      select owner_id, ciphertext from notifications.notification_inputs
      where tenant_id = ${tenant_id} and ref = ${data_ref}`,
  )
  if (!input || data_ref === null) throw problem('inputs_not_found')
  const owner = { tenant_id, owner_id: input.owner_id }
  const key = (await vault.knownKeys(reader, [owner])).get(keyName(owner))
  if (!key) throw problem('inputs_not_found')
  return JSON.parse(unseal(key, input.ciphertext, `input ${data_ref}`)) as Data
}
