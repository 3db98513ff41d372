/**
 * One received e-mail as the sandbox shows it, parsed from the raw bytes, which are stored beside
 * it. `ref` is the part of the Message-ID before the `@`. With it a sender can ask whether a
 * message arrived.
 */
import PostalMime, { type Header } from 'postal-mime'
import { isUtf8 } from 'node:buffer'

import type { Message, Parsed } from './message.ts'

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

/** The bytes as text. A message that is not UTF-8 is shown byte by byte. */
export function rawText(raw: Buffer): string {
  return raw.toString(isUtf8(raw) ? 'utf8' : 'latin1')
}
