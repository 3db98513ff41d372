/**
 * One received e-mail as the sandbox shows it: parsed from the bytes that came over the wire, which
 * are kept beside it. `ref` is the part of the Message-ID before the `@`, under which a sender can
 * ask whether a message of doubtful fate has arrived.
 */
import PostalMime, { type Header } from 'postal-mime'
import { isUtf8 } from 'node:buffer'

export type Attached = { filename: string | null; content_type: string; bytes: number }

export type Message = {
  id: string
  channel: 'email'
  provider: string
  from: string
  /** The recipients of the envelope, which need not be those in the headers. */
  to: string
  subject: string | null
  text: string | null
  html: string | null
  headers: Record<string, string | string[]>
  attachments: Attached[]
  ref: string | null
  received_at: string
}

export type Parsed = Pick<Message, 'subject' | 'text' | 'html' | 'headers' | 'attachments' | 'ref'>

export async function parseMessage(raw: Buffer): Promise<Parsed> {
  const mail = await PostalMime.parse(raw)
  return {
    subject: mail.subject ?? null,
    text: mail.text ?? null,
    html: mail.html ?? null,
    headers: headersOf(mail.headers),
    attachments: mail.attachments.map(one => ({
      filename: one.filename,
      content_type: one.mimeType,
      bytes: typeof one.content === 'string' ? one.content.length : one.content.byteLength,
    })),
    ref: /^<([^@>]+)@[^>]*>$/.exec(mail.messageId ?? '')?.[1] ?? null,
  }
}

function headersOf(headers: readonly Header[]): Message['headers'] {
  const named = new Map<string, string | string[]>()
  for (const { key, value } of headers) {
    const known = named.get(key)
    named.set(key, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(named)
}

/** The bytes as text; a message that is not UTF-8 is shown byte by byte. */
export function rawText(raw: Buffer): string {
  return raw.toString(isUtf8(raw) ? 'utf8' : 'latin1')
}
