/**
 * HTML as a tagged template. Every value is escaped unless this tag made it. So text from
 * strangers, for example in a mail, can never become markup of our page.
 */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Markup | readonly Markup[] | string | number | null | undefined | false

export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let text = strings[0] ?? ''
  values.forEach((value, index) => {
    text += render(value) + (strings[index + 1] ?? '')
  })
  return new Markup(text)
}

/** Includes markup from our own code, such as a style sheet, without escaping. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(one => one.text).join('')
  return escape(String(value))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => entities[character] ?? '')
}
