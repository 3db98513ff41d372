/**
 * The template language: a restricted Liquid, safe for templates of strangers. It reads only own
 * properties and no files, and stops after 200 ms or 5 MB. It has no filter whose result depends on
 * the time, or whose time grows with the square of its input.
 */
import {
  Liquid,
  Output,
  Tokenizer,
  TokenKind,
  type FilterImplOptions,
  type Template,
} from 'liquidjs'
import { LRUCache } from 'lru-cache'
import { formatMoney } from '#dodeca/kernel'

export type Kind = 'html' | 'text'

/** The variables that every template has in addition to its data. */
export type Given = {
  readonly locale: string
  readonly timezone: string
  /** The creation time of the intent, so that rendering again gives the same bytes. */
  readonly now: string
  readonly unsubscribe_url: string
}

const render_ms_max = 200
const memory_max = 5_000_000
const template_characters_max = 512 * 1024
const kept_filters = new Set(
  `abs append at_least at_most capitalize ceil compact concat default divided_by downcase escape
  escape_once find first floor join json jsonify last map minus modulo newline_to_br plus prepend remove
  remove_first replace replace_first reverse round size slice sort split sum times truncate
  truncatewords uniq upcase url_encode where`.split(/\s+/),
)
/** These tags would read files, or print text that was not checked. */
const no_tags = ['include', 'render', 'layout', 'block']

type Scope = { readonly context: { readonly globals: object } }

function givenIn({ context }: Scope): Given {
  return context.globals as Given
}

function language(kind: Kind): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    strictVariables: true,
    // Conditions and defaults may use variables that do not exist.
    lenientIf: true,
    ownPropertyOnly: true,
    relativeReference: false,
    dynamicPartials: false,
    parseLimit: template_characters_max,
    renderLimit: render_ms_max,
    memoryLimit: memory_max,
    ...(kind === 'html' ? { outputEscape: 'escape' as const } : {}),
  })
  for (const [name, filter] of Object.entries(liquid.filters)) {
    if (kept_filters.has(name)) liquid.filters[name] = withinTime(filter)
    else delete liquid.filters[name]
  }
  for (const name of no_tags) delete liquid.tags[name]
  for (const [name, filter] of Object.entries(own_filters)) {
    liquid.registerFilter(name, withinTime(filter))
  }
  return liquid
}

type Handler = Extract<FilterImplOptions, (...given: never[]) => unknown>

/** Liquid looks at the clock between parts of a template, but one part can chain 20,000 filters. */
function withinTime(filter: FilterImplOptions): FilterImplOptions {
  if (typeof filter !== 'function') return { ...filter, handler: inTime(filter.handler) }
  return inTime(filter)
}

function inTime(filter: Handler): Handler {
  return function (value, ...more: unknown[]) {
    this.context.renderLimit.check(performance.now())
    return filter.call(this, value, ...more) as unknown
  }
}

const date_styles = new Map<string, Intl.DateTimeFormatOptions>([
  ['full', { dateStyle: 'full' }],
  ['long', { dateStyle: 'long' }],
  ['short', { dateStyle: 'short' }],
  ['time', { timeStyle: 'short' }],
  ['datetime', { dateStyle: 'medium', timeStyle: 'short' }],
])

const own_filters: Readonly<Record<string, FilterImplOptions>> = {
  strip: (value: unknown) => textOf(value).trim(),
  /** A URL that a mail may contain. Any other URL is removed. */
  safe_url: (value: unknown) => {
    const text = textOf(value).trim()
    return /^(https?:|mailto:|tel:)/i.test(text) && URL.canParse(text) ? text : '#'
  },
  date_l(this: unknown, value: unknown, style: unknown) {
    const { locale, timezone } = givenIn(this as Scope)
    const at = new Date(String(value))
    if (Number.isNaN(at.getTime())) throw new TypeError('date_l needs a time, such as now')
    const options = date_styles.get(String(style)) ?? { dateStyle: 'medium' }
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone }).format(at)
  },
  number_l(this: unknown, value: unknown) {
    return new Intl.NumberFormat(givenIn(this as Scope).locale).format(numberOf(value))
  },
  /** Amounts are in whole minor units, as everywhere: 1999 and EUR are 19.99 €. */
  money_l(this: unknown, value: unknown, currency: unknown) {
    const minor = numberOf(value)
    if (!Number.isSafeInteger(minor)) throw new TypeError('an integer in minor units is needed')
    return formatMoney(minor, String(currency), givenIn(this as Scope).locale)
  },
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function numberOf(value: unknown): number {
  const number = Number(value)
  if (!Number.isFinite(number)) throw new TypeError('a number is needed')
  return number
}

const languages = { html: language('html'), text: language('text') }
const cache = () =>
  new LRUCache<string, Template[]>({
    max: 2000,
    maxSize: 32e6,
    sizeCalculation: (_, text) => text.length + 1,
  })
/** The key is the text itself: a concatenated string would be hashed again at each render. */
const parsed = { html: cache(), text: cache() }

/** Throws Liquid's own error, with line and column, if the text has a syntax error. */
export function parse(kind: Kind, text: string): Template[] {
  let found = parsed[kind].get(text)
  if (!found) {
    found = languages[kind].parse(text)
    parsed[kind].set(text, found)
  }
  return found
}

export type Piece = { readonly kind: 'markup' | 'output' | 'tag'; readonly text: string }

/** The pieces of a text without syntax errors; `{%-` has removed its white space. */
export function piecesOf(text: string): readonly Piece[] {
  const tokens = new Tokenizer(text).readTopLevelTokens(languages.html.options)
  return tokens.map(token => {
    if ('getContent' in token) return { kind: 'markup', text: token.getContent() }
    return { kind: token.kind === TokenKind.Output ? 'output' : 'tag', text: token.getText() }
  })
}

export function lastFilterOf(output: string): string | undefined {
  const [first] = languages.text.parse(output)
  return first instanceof Output ? first.value.filters.at(-1)?.name : undefined
}

/** Throws if a name is missing or a limit is reached. */
export function run(kind: Kind, text: string, data: object, given: Given): string {
  // oxlint-disable-next-line node/no-sync -- it reads no file, and ends within its limits
  return String(languages[kind].renderSync(parse(kind, text), data, { globals: given }))
}
