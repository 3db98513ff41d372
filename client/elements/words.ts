/** The texts of the elements, in English and German. */
const texts = {
  log_in: ['Log in to use this chat.', 'Melden Sie sich an, um zu chatten.'],
  failed: ['This did not work.', 'Das hat nicht geklappt.'],
  chat: ['Chat', 'Chat'],
  loading: ['Loading the messages …', 'Die Nachrichten werden geladen …'],
  offline: [
    'No connection. What you write is sent when it is back.',
    'Keine Verbindung. Was Sie schreiben, wird danach gesendet.',
  ],
  stopped: [
    'The chat has stopped. Log in again; what is not sent yet stays in this tab.',
    'Der Chat ist beendet. Melden Sie sich neu an; Ungesendetes bleibt in diesem Tab.',
  ],
  gone: [
    'This conversation does not exist, or you are not a member of it.',
    'Dieses Gespräch gibt es nicht, oder Sie nehmen nicht daran teil.',
  ],
  closed: ['This conversation is closed.', 'Dieses Gespräch ist geschlossen.'],
  empty: ['There are no messages yet.', 'Es gibt noch keine Nachrichten.'],
  older: ['Show older messages', 'Ältere Nachrichten zeigen'],
  fresh: ['New messages', 'Neue Nachrichten'],
  you: ['You', 'Sie'],
  other: ['Member', 'Mitglied'],
  edited: ['edited', 'bearbeitet'],
  deleted: ['This message was deleted.', 'Diese Nachricht wurde gelöscht.'],
  file: ['File', 'Datei'],
  checked: ['is being checked', 'wird geprüft'],
  unavailable: ['is not available', 'ist nicht verfügbar'],
  waiting: ['not sent yet', 'noch nicht gesendet'],
  refused: ['Not sent.', 'Nicht gesendet.'],
  retry: ['Try again', 'Noch einmal'],
  discard: ['Discard', 'Verwerfen'],
  message: ['Message', 'Nachricht'],
  hint: [
    'Enter sends, Shift and Enter begin a new line.',
    'Enter sendet, Umschalt+Enter bricht um.',
  ],
  send: ['Send', 'Senden'],
  read: ['Read', 'Gelesen'],
  typing: ['Typing', 'Schreibt'],
} as const

export type Words = Readonly<Record<keyof typeof texts | 'locale', string>>

/** In the language that `lang` says, of the element or of what is around it. */
export function wordsFor(element: Element): Words {
  const lang = element.closest('[lang]')?.getAttribute('lang') ?? ''
  const at = /^de\b/i.test(lang) ? 1 : 0
  const words = Object.entries(texts).map(([name, both]) => [name, both[at]])
  // Any other text may be refused as a locale.
  const locale = /^(en|de)(-[a-z]{2})?$/i.test(lang) ? lang : ['en', 'de'][at]
  return Object.fromEntries([...words, ['locale', locale]]) as Words
}
