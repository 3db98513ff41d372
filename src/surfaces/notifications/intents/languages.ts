/**
 * The languages in which a message is wanted, the preferred one first: that of the order, that of
 * the recipient (their preferences, then their account), and that of the deployment.
 */
import type { Kernel } from '../settings.ts'
import type { RecipientFacts } from './load-facts.ts'

/** `mail_locale` is the language of the words of an identity mail. */
export function languagesFor(
  { settings }: Pick<Kernel, 'settings'>,
  { person, preferences }: Pick<RecipientFacts, 'person' | 'preferences'>,
  asked: string | null,
  mail_locale: string | null = null,
): readonly (string | null)[] {
  return [
    asked,
    mail_locale ?? preferences?.locale ?? person?.locale ?? null,
    settings['notifications.default_locale'],
  ]
}
