/** What forms say: how to write something, and the rule that a text breaks. */
import { language } from './language.ts'

const en = {
  add: 'Add',
  remove: 'Remove',
  time: 'time',
  amount: 'As decimals, such as {amount}',
  amount_wrong: 'Write the amount like this: {amount}',
  currency_first: 'Write the currency first, such as EUR',
  pairs: 'one a line, as Name: value',
  pairs_wrong: 'Write each line as Name: value',
  is_required: 'This is required',
  not_said: 'not said',
}

const de: typeof en = {
  add: 'Hinzufügen',
  remove: 'Entfernen',
  time: 'Uhrzeit',
  amount: 'Mit Nachkommastellen, etwa {amount}',
  amount_wrong: 'Schreiben Sie den Betrag so: {amount}',
  currency_first: 'Schreiben Sie zuerst die Währung, etwa EUR',
  pairs: 'eines je Zeile, als Name: Wert',
  pairs_wrong: 'Schreiben Sie jede Zeile als Name: Wert',
  is_required: 'Das wird gebraucht',
  not_said: 'nicht angegeben',
}

export const form_words = { en, de }[language]

/** The rules that people meet, by the regular expression of the API. */
const rules: Readonly<Record<string, readonly [string, string]>> = {
  '^[a-z0-9]+(-[a-z0-9]+)*$': [
    'Lower-case letters and digits, with single hyphens between them: blue-mug',
    'Kleinbuchstaben und Ziffern, dazwischen einzelne Bindestriche: blaue-tasse',
  ],
  '^[a-z][a-z0-9]*(-[a-z0-9]+)*$': [
    'Lower-case letters and digits, a letter first, with single hyphens between them',
    'Kleinbuchstaben und Ziffern, zuerst ein Buchstabe, dazwischen einzelne Bindestriche',
  ],
  '^[a-z0-9][a-z0-9_-]*$': [
    'Lower-case letters, digits, hyphens and underscores',
    'Kleinbuchstaben, Ziffern, Binde- und Unterstriche',
  ],
  '^[A-Z0-9][A-Z0-9_-]*$': [
    'Upper-case letters, digits, hyphens and underscores',
    'Großbuchstaben, Ziffern, Binde- und Unterstriche',
  ],
  '^[a-z0-9-]+(/[a-z0-9-]+)*$': [
    'Lower-case letters, digits and hyphens, with / between the parts: kitchen/mugs',
    'Kleinbuchstaben, Ziffern und Bindestriche, mit / zwischen den Teilen: kueche/tassen',
  ],
  '^[a-z][a-z0-9_]{2,39}$': [
    'Lower-case letters, digits and underscores, a letter first, 3 to 40 in all',
    'Kleinbuchstaben, Ziffern und Unterstriche, zuerst ein Buchstabe, 3 bis 40',
  ],
  '^[A-Z]{3}$': ['Three upper-case letters, such as EUR', 'Drei Großbuchstaben, etwa EUR'],
  '^[A-Z]{2}$': ['Two upper-case letters, such as DE', 'Zwei Großbuchstaben, etwa DE'],
  '^[^@\\s]+@[^@\\s]+$': ['A mail address', 'Eine Mailadresse'],
}

export function ruleOf(pattern: string | undefined): string | undefined {
  return rules[pattern ?? '']?.[language === 'en' ? 0 : 1]
}

const filters_en = {
  range: 'Time',
  today: 'Today',
  days_7: '7 days',
  days_30: '30 days',
  this_month: 'This month',
  last_month: 'Last month',
}

const filters_de: typeof filters_en = {
  range: 'Zeit',
  today: 'Heute',
  days_7: '7 Tage',
  days_30: '30 Tage',
  this_month: 'Dieser Monat',
  last_month: 'Letzter Monat',
}

export const filter_words = { en: filters_en, de: filters_de }[language]
