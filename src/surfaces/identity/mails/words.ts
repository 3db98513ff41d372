/** The texts of identity's mails, in English and German. */
import type { Template } from './request.ts'

export type Words = {
  readonly subject: string
  readonly says: readonly string[]
  /** The text on the button, if the mail has a link. */
  readonly action?: string
}

type Language = {
  readonly code_label: string
  readonly words: Readonly<Record<Template, Words>>
}

const not_you = 'If it was not you, change your password at once and tell your administrator.'
const nicht_sie =
  'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und informieren Sie Ihren Administrator.'

const en: Language = {
  code_label: 'Or enter this code:',
  words: {
    verify_address: {
      subject: 'Confirm your address',
      action: 'Confirm the address',
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
      action: 'Set a new password',
      says: [
        'Somebody asked for a new password for your account. If it was you, set one here:',
        'If it was not you, ignore this mail: your password stays as it is.',
      ],
    },
    invite: {
      subject: 'You are invited',
      action: 'Accept the invitation',
      says: [
        'An account was made for you. Choose a password to begin:',
        'If you did not expect this, ignore it.',
      ],
    },
    confirm_new_address: {
      subject: 'Confirm your new address',
      action: 'Confirm the address',
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
    login_code: {
      subject: 'Your code to log in',
      action: 'Log in',
      says: [
        'Somebody asked to log in with this address. If it was you, open this link in the browser in which you asked:',
        'If it was not you, ignore this mail, and give the code to nobody.',
      ],
    },
    passkey_added: {
      subject: 'A passkey was added',
      says: ['A new passkey now logs in to your account.', not_you],
    },
    passkey_removed: {
      subject: 'A passkey was removed',
      says: ['A passkey of your account was removed, and no longer logs in.', not_you],
    },
    factor_added: {
      subject: 'A second factor was added',
      says: ['Your account has a new second factor for logging in.', not_you],
    },
    factor_removed: {
      subject: 'A second factor was removed',
      says: ['A second factor of your account was removed, and counts no more.', not_you],
    },
    factor_reset_requested: {
      subject: 'Your second factors will be removed',
      action: 'Keep my second factors',
      says: [
        'An administrator was told that you lost your second factors. They will be removed after a delay, and then your password alone logs you in.',
        'If you did not ask for this, or found them again, stop it here, or log in with one of them:',
      ],
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
    application_connected: {
      subject: 'An application uses your account',
      action: 'See your applications',
      says: ['You allowed an application to use your account. You can end it there:', not_you],
    },
    organization_invitation: {
      subject: 'You are invited to an organization',
      action: 'See the invitation',
      says: [
        'An organization invites this address as a guest. Log in to your account with this address, or register one, to see which one it is and to accept or decline:',
        'If you did not expect this, ignore it: without your answer nothing happens.',
      ],
    },
  },
}

const de: Language = {
  code_label: 'Oder geben Sie diesen Code ein:',
  words: {
    verify_address: {
      subject: 'Bestätigen Sie Ihre Adresse',
      action: 'Adresse bestätigen',
      says: [
        'Jemand hat sich mit dieser Adresse registriert. Wenn Sie das waren, bestätigen Sie sie dort, wo Sie sich registriert haben:',
        'Wenn Sie das nicht waren, ignorieren Sie diese Mail: Ohne das, was nur Sie beweisen können, geschieht nichts.',
      ],
    },
    address_known: {
      subject: 'Sie haben bereits ein Konto',
      says: [
        'Jemand wollte diese Adresse für ein Konto verwenden, sie gehört aber schon zu Ihrem.',
        'Wenn Sie das waren, melden Sie sich an oder fordern Sie ein neues Passwort an. Sonst ist nichts zu tun.',
      ],
    },
    reset_password: {
      subject: 'Setzen Sie ein neues Passwort',
      action: 'Neues Passwort setzen',
      says: [
        'Jemand hat ein neues Passwort für Ihr Konto angefordert. Wenn Sie das waren, setzen Sie es hier:',
        'Wenn Sie das nicht waren, ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.',
      ],
    },
    invite: {
      subject: 'Sie sind eingeladen',
      action: 'Einladung annehmen',
      says: [
        'Für Sie wurde ein Konto angelegt. Wählen Sie zum Beginn ein Passwort:',
        'Wenn Sie das nicht erwartet haben, ignorieren Sie diese Mail.',
      ],
    },
    confirm_new_address: {
      subject: 'Bestätigen Sie Ihre neue Adresse',
      action: 'Adresse bestätigen',
      says: [
        'Sie möchten diese Adresse für Ihr Konto verwenden. Bestätigen Sie sie, während Sie angemeldet sind:',
        'Wenn Sie das nicht waren, ignorieren Sie diese Mail.',
      ],
    },
    address_changed: {
      subject: 'Ihre Adresse wurde geändert',
      says: [
        'Ihr Konto verwendet jetzt eine andere Adresse, und diese gehört nicht mehr dazu.',
        'Wenn Sie das nicht waren, informieren Sie sofort Ihren Administrator.',
      ],
    },
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      says: [
        'Das Passwort Ihres Kontos wurde geändert, andere Sitzungen wurden beendet.',
        'Wenn Sie das nicht waren, fordern Sie sofort ein neues Passwort an.',
      ],
    },
    sessions_ended: {
      subject: 'Sie wurden zur Sicherheit abgemeldet',
      says: [
        'Eine Ihrer Anmeldungen wurde auf eine Weise zweimal verwendet, die nur durch eine Kopie zu erklären ist. Sie wurde beendet.',
        'Melden Sie sich neu an. Wenn Sie den Grund nicht kennen, ändern Sie Ihr Passwort.',
      ],
    },
    login_code: {
      subject: 'Ihr Code zum Anmelden',
      action: 'Anmelden',
      says: [
        'Jemand möchte sich mit dieser Adresse anmelden. Wenn Sie das waren, öffnen Sie diesen Link in dem Browser, in dem Sie den Code angefordert haben:',
        'Wenn Sie das nicht waren, ignorieren Sie diese Mail und geben Sie den Code niemandem.',
      ],
    },
    passkey_added: {
      subject: 'Ein Passkey wurde hinzugefügt',
      says: ['Ein neuer Passkey meldet sich jetzt an Ihrem Konto an.', nicht_sie],
    },
    passkey_removed: {
      subject: 'Ein Passkey wurde entfernt',
      says: ['Ein Passkey Ihres Kontos wurde entfernt und gilt nicht mehr.', nicht_sie],
    },
    factor_added: {
      subject: 'Ein zweiter Faktor wurde hinzugefügt',
      says: ['Ihr Konto hat einen neuen zweiten Faktor für die Anmeldung.', nicht_sie],
    },
    factor_removed: {
      subject: 'Ein zweiter Faktor wurde entfernt',
      says: ['Ein zweiter Faktor Ihres Kontos wurde entfernt und gilt nicht mehr.', nicht_sie],
    },
    factor_reset_requested: {
      subject: 'Ihre zweiten Faktoren werden entfernt',
      action: 'Meine zweiten Faktoren behalten',
      says: [
        'Einem Administrator wurde gesagt, dass Sie Ihre zweiten Faktoren verloren haben. Sie werden nach einer Frist entfernt, danach meldet Sie Ihr Passwort allein an.',
        'Wenn Sie das nicht wollten oder sie wieder gefunden haben, halten Sie es hier an, oder melden Sie sich mit einem davon an:',
      ],
    },
    recovery_codes_renewed: {
      subject: 'Ihre Wiederherstellungscodes wurden ersetzt',
      says: [
        'Ihr Konto hat neue Wiederherstellungscodes, die früheren gelten nicht mehr.',
        nicht_sie,
      ],
    },
    identity_linked: {
      subject: 'Eine Anmeldemöglichkeit wurde hinzugefügt',
      says: [
        'Eine Identität bei einem anderen Anbieter meldet sich jetzt an Ihrem Konto an.',
        nicht_sie,
      ],
    },
    identity_unlinked: {
      subject: 'Eine Anmeldemöglichkeit wurde entfernt',
      says: [
        'Eine Identität bei einem anderen Anbieter meldet sich nicht mehr an Ihrem Konto an.',
        nicht_sie,
      ],
    },
    api_key_created: {
      subject: 'Ein API-Schlüssel wurde erstellt',
      says: [
        'Es wurde ein API-Schlüssel erstellt, der für Ihr Konto handelt. Sie können ihn jederzeit widerrufen.',
        nicht_sie,
      ],
    },
    application_connected: {
      subject: 'Eine Anwendung verwendet Ihr Konto',
      action: 'Anwendungen ansehen',
      says: ['Sie haben es einer Anwendung erlaubt und können es dort beenden:', nicht_sie],
    },
    organization_invitation: {
      subject: 'Sie sind in eine Organisation eingeladen',
      action: 'Einladung ansehen',
      says: [
        'Eine Organisation lädt diese Adresse als Gast ein. Melden Sie sich mit dieser Adresse an, oder registrieren Sie sich, um zu sehen, welche es ist, und um anzunehmen oder abzulehnen:',
        'Wenn Sie das nicht erwartet haben, ignorieren Sie es: Ohne Ihre Antwort geschieht nichts.',
      ],
    },
  },
}

const languages: readonly (readonly [string, Language])[] = [['de', de]]

/** Falls back to English if there is no text in the language. */
export function languageOf(locale: string | null): { readonly locale: string } & Language {
  const base = locale?.toLowerCase().split('-')[0] ?? ''
  const found = languages.find(([name]) => name === base)
  return found ? { locale: found[0], ...found[1] } : { locale: 'en', ...en }
}
