/**
 * What a surface says to those that work for it: which files it has, and which messages it sends.
 * Each name is `<surface>.<name>`.
 */

/** A purpose of files: what is accepted, who may upload it, and what is made of it. */
export type FilePurpose = {
  /** The largest file of each kind in bytes. `any` accepts every kind. */
  readonly largest: Partial<
    Record<'image' | 'video' | 'audio' | 'document' | 'text' | 'archive' | 'any', number>
  >
  /** Whether every member may upload files for this purpose. */
  readonly members: boolean
  /**
   * What is made of images. `sanitized` is required where others than the owner read them, because
   * they get that one.
   */
  readonly derivatives: readonly ('thumbnail' | 'preview' | 'sanitized')[]
  /** Whether the client may send the checksum at completion instead of at the beginning. */
  readonly checksum: 'required' | 'deferred'
  /** Whether the files are deleted when their owner's account is erased. */
  readonly erased: boolean
}

type Channel = 'email' | 'sms' | 'push' | 'in_app'

/** A kind of messages. People choose for each of them where they get it. */
export type MessageCategory = {
  readonly class: 'transactional' | 'operational' | 'marketing'
  readonly default_channels: readonly Channel[]
  readonly user_can_disable?: boolean
  readonly respects_quiet_hours?: boolean
  /** Whether its mails have a link with which people unsubscribe. */
  readonly unsubscribe?: boolean
  readonly default_ttl_seconds?: number
  /** Whether a message that may have arrived is sent again. */
  readonly on_unknown?: 'resend_same_ref' | 'give_up'
}

type Mail = {
  readonly subject: string
  readonly body: string
  readonly text?: string
  readonly format?: 'html' | 'text'
}
type Line = { readonly title: string; readonly body: string; readonly url?: string }
type Texts = {
  readonly email?: Mail
  readonly sms?: { readonly body: string }
  readonly push?: Line
  readonly in_app?: Line
}

/** The texts of a message, in Liquid. A tenant's own template of the same name is preferred. */
export type MessageTemplate = {
  readonly default_locale: string
  readonly channels: Texts
  /** The same in other languages. */
  readonly locales?: Readonly<Record<string, Texts>>
}

/** What one surface declares, or all of them. */
export type Declarations = {
  readonly purposes?: Readonly<Record<string, FilePurpose>>
  readonly categories?: Readonly<Record<string, MessageCategory>>
  readonly templates?: Readonly<Record<string, MessageTemplate>>
}
