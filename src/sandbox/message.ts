/** One message of any channel, as the sandbox shows it. */
export type Attached = { filename: string | null; content_type: string; bytes: number }

export type Message = {
  id: string
  channel: 'email' | 'sms' | 'push'
  provider: string
  from: string
  /** The recipients of the envelope, which may differ from those in the headers. */
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
