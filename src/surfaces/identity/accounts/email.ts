/**
 * Normalizes mail addresses, so that one mailbox has one spelling. Addresses are compared in this
 * normalized form (NFKC, lower case in any locale, domain in ASCII), and mail goes to the stored
 * spelling. Addresses that could reach another person than they seem to (control characters,
 * spaces, quoted local parts) are refused.
 */
import { domainToASCII } from 'node:url'
import { problem } from '../errors.ts'

export type Address = { readonly email: string; readonly normalized: string }

const email_max = 254
const local_bytes_max = 64

export function parseEmail(text: string): Address | null {
  const email = text.trim().normalize('NFKC')
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  if (at < 1 || email.length > email_max || /[\p{C}\s"(),:;<>@[\\\]]/u.test(local)) return null
  if (Buffer.byteLength(local) > local_bytes_max || /^\.|\.$|\.\./.test(local)) return null
  const domain = domainToASCII(email.slice(at + 1)).toLowerCase()
  const labels = domain.split('.')
  if (domain === '' || !labels.every(label => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)))
    return null
  // NFKC of a lower-cased text can contain capitals again, so this repeats until the text no longer
  // changes.
  const normalized = `${local.toLowerCase().normalize('NFKC')}@${domain}`
  if (normalized.length > email_max) return null
  return { email: `${local}@${domain}`, normalized }
}

export function requireEmail(text: string, pointer = '/email'): Address {
  const address = parseEmail(text)
  if (address) return address
  throw problem('validation_failed', {
    detail: 'This is not an email address. Send one such as ann@example.com.',
    errors: [{ location: 'body', pointer, constraint: 'email' }],
  })
}
