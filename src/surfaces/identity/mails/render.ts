/**
 * The words of identity's mails: plain text, the bare token beside its link, and no more than needed. The
 * words of a notice are those of the surface that tells it.
 */
import type { MailToSend } from '../face.ts'
import type { Template } from './request.ts'

export type Rendered = {
  readonly category: string
  readonly subject: string
  readonly text: string
}

type Words = { readonly subject: string; readonly says: readonly string[] }

const not_you = 'If it was not you, change your password at once and tell your administrator.'

const words: Readonly<Record<Exclude<Template, 'notice'>, Words>> = {
  verify_address: {
    subject: 'Confirm your address',
    says: [
      'Somebody registered with this address. If it was you, confirm it where you registered:',
      'If it was not you, ignore this mail: nothing happens without what only you can prove.',
    ],
  },
  address_known: {
    subject: 'You already have an account',
    says: [
      'Somebody tried to use this address for an account, but it already belongs to yours.',
      'If it was you, log in, or ask for a new password. Otherwise there is nothing to do.',
    ],
  },
  reset_password: {
    subject: 'Set a new password',
    says: [
      'Somebody asked for a new password for your account. If it was you, set one here:',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
  },
  invite: {
    subject: 'You are invited',
    says: [
      'An account was made for you. Choose a password to begin:',
      'If you did not expect this, ignore it.',
    ],
  },
  confirm_new_address: {
    subject: 'Confirm your new address',
    says: [
      'You asked to use this address for your account. Confirm it while you are logged in:',
      'If it was not you, ignore this mail.',
    ],
  },
  address_changed: {
    subject: 'Your address was changed',
    says: [
      'Your account now uses another address, and this one no longer belongs to it.',
      'If it was not you, tell your administrator at once.',
    ],
  },
  password_changed: {
    subject: 'Your password was changed',
    says: [
      'The password of your account was changed, and other sessions were ended.',
      'If it was not you, ask for a new password at once.',
    ],
  },
  sessions_ended: {
    subject: 'You were logged out for safety',
    says: [
      'A login of yours was used twice in a way that only a copy of it explains, so it was ended.',
      'Log in again. If you do not know why this happened, change your password.',
    ],
  },
  factor_added: {
    subject: 'A second factor was added',
    says: ['Your account now has another second factor for logging in.', not_you],
  },
  factor_removed: {
    subject: 'A second factor was removed',
    says: ['A second factor of your account was removed, and counts no more.', not_you],
  },
  recovery_codes_renewed: {
    subject: 'Your recovery codes were replaced',
    says: ['Your account has new recovery codes, and the earlier ones are of no use.', not_you],
  },
  identity_linked: {
    subject: 'A way to log in was added',
    says: ['An identity at another provider now logs in to your account.', not_you],
  },
  identity_unlinked: {
    subject: 'A way to log in was removed',
    says: ['An identity at another provider no longer logs in to your account.', not_you],
  },
  api_key_created: {
    subject: 'An API key was made',
    says: [
      'An API key was made that acts for your account. You can revoke it at any time.',
      not_you,
    ],
  },
}

export function renderMail({ template, token, link, notice }: MailToSend): Rendered {
  const known: Readonly<Record<string, Words>> = words
  const found = notice ?? known[template]
  if (!found) throw new Error(`there is no mail ${template}`)
  const [first = '', ...rest] = found.says
  const way = token === null || link === null ? [] : [link, `Or enter this code: ${token}`]
  const text = [first, ...way, ...rest, ''].join('\n\n')
  return { category: notice?.category ?? 'identity.security', subject: found.subject, text }
}
