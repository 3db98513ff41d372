/** The language of the page: the person's earlier choice, or the language of the browser. */
import { de } from './words-de.ts'
import { en, type Words } from './words-en.ts'
import type { Title } from './resource.ts'

export type Language = 'en' | 'de'

const place = 'dodeca.language'
const all: Readonly<Record<Language, Words>> = { en, de }

export const languages = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const

export const language: Language = find()
export const words: Words = all[language]

function find(): Language {
  const chosen = localStorage.getItem(place) ?? navigator.language.slice(0, 2)
  return chosen === 'de' ? 'de' : 'en'
}

/** Reloads the page, because every text changes. */
export function chooseLanguage(next: string): void {
  localStorage.setItem(place, next)
  location.reload()
}

export function titleOf(title: Title): string {
  return title[language]
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{([a-z]+)\}/g, (_all, name: string) => String(values[name] ?? ''))
}

/** `created_at` is "Created". Other languages have a translation, or show the name of the API. */
export function nameOf(field: string): string {
  const known = words.names[field]
  if (known) return known
  const plain = field.replace(/_(at|minor)$/, '').replaceAll('_', ' ')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The verb of an operation: `retryJob` is "Retry". */
export function verbOf(operation: string): string {
  const [verb = operation] = operation.split(/(?=[A-Z])/)
  return words.verbs[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1)
}

/** A short name of an operation: `rotateWebhookSecret` is "Rotate webhook secret". */
export function labelOf(operation: string): string {
  if (language !== 'en') return verbOf(operation)
  const [verb = '', ...rest] = operation.split(/(?=[A-Z])/)
  return [verb.charAt(0).toUpperCase() + verb.slice(1), ...rest.map(one => one.toLowerCase())].join(
    ' ',
  )
}
